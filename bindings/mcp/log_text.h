// What the transports of the MCP server write to standard error. Pure, any thread.
#pragma once

#include <string>

#include "gibbous/runtime.h"

namespace gibbous::mcp {

// An event as a line of the log; "" when it does not belong there.
std::string log_text(const Event& event);

}  // namespace gibbous::mcp
