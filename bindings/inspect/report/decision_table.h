// What the policy decided, with its reasons. Pure but for the time zone; any thread.
#pragma once

#include <cstddef>
#include <string>

#include "bindings/inspect/report/story.h"

namespace gibbous::report {

// No more than about `most` bytes: older decisions are left out, and counted. "" when there are
// none.
std::string decisions_html(const Story& story, std::size_t most);

}  // namespace gibbous::report
