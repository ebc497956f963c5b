// One run: what it was, how it ended, what it cost, what happened, what it wrote. Pure but for the
// time zone; any thread.
#pragma once

#include <cstddef>
#include <string>

#include "bindings/inspect/report/story.h"

namespace gibbous::report {

// The run with this place in story.runs, in about `most` bytes: older output is left out, and said.
std::string run_html(const Story& story, std::size_t index, std::size_t most);

}  // namespace gibbous::report
