// The suspending part of wait{…}, shared by the `wait` table and by h:wait.
#pragma once

#include <string>

struct lua_State;

namespace gibbous::lua {

// Reads the options at `index` and suspends the running task until the answer; for use as
// `return start_wait(L, 1, "");` in a leaf of push_suspending.
int start_wait(lua_State* state, int index, const std::string& default_run);

}  // namespace gibbous::lua
