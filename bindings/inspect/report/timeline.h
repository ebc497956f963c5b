// The timeline: each run as a bar with its events as marks, and the decisions on a row of their
// own. Pure except for the time zone; any thread.
#pragma once

#include <cstddef>
#include <string>

#include "bindings/inspect/report/story.h"

namespace gibbous::report {

// Returns at most about `most` bytes; the oldest marks are left out first.
std::string timeline_html(const Story& story, std::size_t most);

// The CSS class of a state; "other" for an unknown one.
std::string state_class(const std::string& state);
// The anchor of story.runs[index].
std::string run_anchor(std::size_t index);

}  // namespace gibbous::report
