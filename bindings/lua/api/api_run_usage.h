// run:usage() and run:writers(). Used by api_run.cc.
#pragma once

struct lua_State;

namespace gibbous::lua {

int l_run_usage(lua_State* state);
int l_run_writers(lua_State* state);

}  // namespace gibbous::lua
