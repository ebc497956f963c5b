// What a call's tool contributes to the policy's request: the permission, the command among the
// arguments, and what must not be recorded. Used by the engine. Loop thread only.
#pragma once

#include <string>

#include "bindings/lua/load/tool.h"
#include "bindings/lua/policy/policy_request.h"

namespace gibbous::lua {

// Returns the permission of the tool, or that of the action named in the arguments.
std::string permission_of(const ToolDefinition& tool, const Json& arguments);
// Fills in the command from a call's arguments when the tool declares which ones hold it.
void take_command(const ToolDefinition& tool, PolicyRequest* request);
// Redacts text that is typed into a program. Returns true when there was any.
bool redact_typed(const ToolDefinition& tool, PolicyRequest* request);

}  // namespace gibbous::lua
