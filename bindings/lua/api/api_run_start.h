// The functions of the table `run` that start commands, or queue them; both suspend. Used by
// api_run.cc. Loop thread only.
#pragma once

struct lua_State;

namespace gibbous::lua {

int l_run_check(lua_State* state);
int l_run_start(lua_State* state);
int l_run_queue(lua_State* state);

}  // namespace gibbous::lua
