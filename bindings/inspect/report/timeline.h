// The timeline: each run as a bar, its events as marks on it, the decisions on a row of their own.
// Pure but for the time zone; any thread.
#pragma once

#include <cstddef>
#include <string>

#include "bindings/inspect/report/story.h"

namespace gibbous::report {

// No more than about `most` bytes: when it would be more, marks are left out, newest kept.
std::string timeline_html(const Story& story, std::size_t most);

// The class by which a state has its colour; "other" for words that are none of RunState's.
std::string state_class(const std::string& state);
// The anchor of the run with this place in story.runs.
std::string run_anchor(std::size_t index);

}  // namespace gibbous::report
