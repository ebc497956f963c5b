// What the tool of a call says about what the policy is asked: the permission, the command among
// the arguments, and what must not be recorded. Used by the engine. Loop thread only.
#pragma once

#include <string>

#include "bindings/lua/load/tool.h"
#include "bindings/lua/policy/policy_request.h"

namespace gibbous::lua {

// The permission of the tool, or that of the action which the arguments name.
std::string permission_of(const ToolDefinition& tool, const Json& arguments);
// Fills in the command that the arguments of a call hold, when the tool names its arguments.
void take_command(const ToolDefinition& tool, PolicyRequest* request);
// Redacts text that is typed into a program. True when there was any.
bool redact_typed(const ToolDefinition& tool, PolicyRequest* request);

}  // namespace gibbous::lua
