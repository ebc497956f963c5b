// The section about one run: command, end, resource use, events, output. Pure except for the time
// zone; any thread.
#pragma once

#include <cstddef>
#include <string>

#include "bindings/inspect/report/story.h"

namespace gibbous::report {

// Describes the run story.runs[index] in about `most` bytes; older output is left out, with a note.
std::string run_html(const Story& story, std::size_t index, std::size_t most);

}  // namespace gibbous::report
