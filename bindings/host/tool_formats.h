// Describes the tools of a generation in the format of each kind of client. Used by Runtime. Pure.
#pragma once

#include <string>
#include <vector>

#include "bindings/json/json.h"
#include "gibbous/runtime.h"

namespace gibbous::host {

// Which of the properties that a schema calls rare ("x-rare", `rare` of schema.*) are listed.
struct Listed {
  bool all = false;
  bool confines = false;  // those of a mode that confines commands
};

// Returns the schema with these properties. No reader of the result needs to know that word.
Json listed_schema(Json schema, Listed listed);

// Returns a JSON array: MCP tool objects, or the `tools` of a request to a vendor's API.
std::string format_tools(const std::vector<ToolInfo>& tools, ToolFormat format);
// Why tools have no strict form, `NAME: PLACE PROBLEM` each.
std::vector<std::string> tools_not_strict(const std::vector<ToolInfo>& tools);

}  // namespace gibbous::host
