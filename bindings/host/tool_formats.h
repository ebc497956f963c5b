// The tools of a generation as each kind of client wants them described. Used by Runtime. Pure.
#pragma once

#include <string>
#include <vector>

#include "gibbous/runtime.h"

namespace gibbous::host {

// A JSON array: MCP tool objects, OpenAI function tools, or Anthropic tools.
std::string format_tools(const std::vector<ToolInfo>& tools, ToolFormat format);

}  // namespace gibbous::host
