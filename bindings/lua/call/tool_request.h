// Adds what a call's tool contributes to the policy's request: the permission, the command among
// the arguments, and what must not be recorded. Used by the engine. Loop thread only.
#pragma once

#include <string>

#include "bindings/lua/load/tool.h"
#include "bindings/lua/policy/policy_request.h"

namespace gibbous::lua {

// Fills in the tool with its permission, and the names under which a mode may have rows for it: its
// action, and the tool that it is judged as. `action`: of the call to which the request belongs. An
// effect of a call has the tool's own permission, because the tool, not the action, decides which
// effects there are.
void take_tool(const ToolDefinition& tool, const std::string& action, PolicyRequest* request);
// Fills in the command from a call's arguments when the tool declares which ones hold it.
void take_command(const ToolDefinition& tool, PolicyRequest* request);
// Redacts text that is typed into a program. Returns true when there was any.
bool redact_typed(const ToolDefinition& tool, PolicyRequest* request);

}  // namespace gibbous::lua
