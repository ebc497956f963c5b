// Methods of runs that type into them, and look at their terminals. Used by api_run.cc.
#pragma once

struct lua_State;

namespace gibbous::lua {

int l_run_write(lua_State* state);
int l_run_send_keys(lua_State* state);
int l_run_close_stdin(lua_State* state);
int l_run_screen(lua_State* state);
int l_run_resize(lua_State* state);

}  // namespace gibbous::lua
