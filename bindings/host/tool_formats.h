// Describes the tools of a generation in the format of each kind of client. Used by Runtime. Pure.
#pragma once

#include <string>
#include <vector>

#include "gibbous/runtime.h"

namespace gibbous::host {

// Returns a JSON array: MCP tool objects, OpenAI function tools, or Anthropic tools.
std::string format_tools(const std::vector<ToolInfo>& tools, ToolFormat format);

}  // namespace gibbous::host
