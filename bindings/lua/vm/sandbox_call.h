// How a replacement of the sandbox calls the function of LuaJIT that it stands for. Used by
// api_string.cc and api_table.cc only. Loop thread.
#pragma once

struct lua_State;

namespace gibbous::lua {

// Calls upvalue 1 with all arguments, and gives the number of results. An error of the original
// names the script's line and `name`, as if the script had called it itself.
int call_original(lua_State* state, const char* name);

}  // namespace gibbous::lua
