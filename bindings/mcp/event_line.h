// The events that come with a result, as lines for a model. Used by tool_result. Stateless; any
// thread.
#pragma once

#include <string>
#include <vector>

#include "bindings/mcp/json.h"

namespace gibbous::mcp {

// "[web ended: exit 1 after 2.1s]", then the excerpt of its errors; "[web compile_error: line 12:
// main.c:3: error: ...]". Matches of one watcher or preset with no other event between them than
// matches are one entry. A run has its label, or else its id. Each entry ends with '\n'.
std::string event_lines(const std::vector<Json>& events);

}  // namespace gibbous::mcp
