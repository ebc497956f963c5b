// The decisions of the policy with their reasons. Pure except for the time zone; any thread.
#pragma once

#include <cstddef>
#include <string>

#include "bindings/inspect/report/story.h"

namespace gibbous::report {

// Returns at most about `most` bytes; older decisions are left out and counted. "" without
// decisions.
std::string decisions_html(const Story& story, std::size_t most);

}  // namespace gibbous::report
