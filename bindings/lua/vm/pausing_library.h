// string.gsub and table.sort with a function of the script. LuaJIT calls such a function from C,
// where a task can neither pause nor wait; these are written in Lua, where it can. Used by
// sandbox.cc only. Loop thread.
#pragma once

struct lua_State;

namespace gibbous::lua {

// [gsub] -> the function that scripts see. `gsub` does the work when no function is called.
void push_pausing_gsub(lua_State* state);
// [sort] -> the function that scripts see. `sort` does the work when there is no comparator.
void push_pausing_sort(lua_State* state);

}  // namespace gibbous::lua
