// How a replacement of the sandbox calls the LuaJIT function that it replaces. Used by
// string_library.cc and table_library.cc only. Loop thread.
#pragma once

struct lua_State;

namespace gibbous::lua {

// Calls upvalue 1 with all arguments and returns the number of results. An error of the original
// names the script's line and `name`, as if the script had called it itself.
int call_original(lua_State* state, const char* name);

}  // namespace gibbous::lua
