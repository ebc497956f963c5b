// Reads what prompt{...} returned, and checks every word of it. Called by tool_reader.cc, in a
// protected call. Loop thread only.
#pragma once

#include "bindings/lua/load/offered.h"
#include "gibbous/status.h"

struct lua_State;

namespace gibbous::lua {

// [.., prompt] -> the same. Says what is wrong with its data; its function is left alone.
Status check_prompt(lua_State* state);
// [.., prompt] -> the same. Or says what is wrong with which field: "arguments: expected ...".
Status read_prompt(lua_State* state, PromptDefinition* made);

}  // namespace gibbous::lua
