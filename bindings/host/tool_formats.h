// Describes the tools of a generation in the format of each kind of client. Used by Runtime. Pure.
#pragma once

#include <string>
#include <vector>

#include "bindings/json/json.h"
#include "gibbous/runtime.h"

namespace gibbous::host {

// Returns the schema without the properties that it calls rare ("x-rare", `rare` of schema.*) or,
// with `all`, with them. No reader of the result needs to know that word.
Json listed_schema(Json schema, bool all);

// Returns a JSON array: MCP tool objects, OpenAI function tools, or Anthropic tools.
std::string format_tools(const std::vector<ToolInfo>& tools, ToolFormat format);

}  // namespace gibbous::host
