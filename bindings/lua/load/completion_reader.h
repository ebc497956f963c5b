// Completions: what a client suggests while a person types an argument of a prompt or a variable of
// a template. A script gives a list of words or a function for each. Called by the readers of
// prompts and resources, in a protected call. Loop thread only.
#pragma once

#include <string>
#include <vector>

#include "bindings/lua/load/tool.h"
#include "gibbous/status.h"

struct lua_State;

namespace gibbous::lua {

// [.., completion] -> the same. Says what is wrong with a list of words or a function.
Status check_completion(lua_State* state);

// [.., { NAME = completion, ... }] -> [..]. Makes the tool that is called to complete: one that no
// client sees, and that the policy judges as the one of `of`. Its arguments are { argument, value,
// arguments }, with `argument` one of `names`.
Status take_completions(lua_State* state, const ToolDefinition& of,
                        const std::vector<std::string>& names, ToolDefinition* made);

}  // namespace gibbous::lua
