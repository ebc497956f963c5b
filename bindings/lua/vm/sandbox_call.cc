// The error of a C function called from C has no position and names the function '?'.
#include "bindings/lua/vm/sandbox_call.h"

#include <lua.hpp>
#include <string_view>

#include "bindings/lua/vm/state.h"

namespace gibbous::lua {

namespace {

constexpr std::string_view kUnnamed = "'?'";

// [..., error] -> raises it.
[[noreturn]] void raise_as(lua_State* state, const char* name) {
  std::size_t size = 0;
  const char* text = lua_type(state, -1) == LUA_TSTRING ? lua_tolstring(state, -1, &size) : nullptr;
  if (text != nullptr && !State::of(state).has_place(std::string_view(text, size))) {
    const std::string_view message(text, size);
    const std::size_t unnamed = message.find(kUnnamed);
    luaL_where(state, 1);
    if (unnamed == std::string_view::npos) {
      lua_pushvalue(state, -2);
    } else {
      lua_pushlstring(state, text, unnamed);
      lua_pushfstring(state, "'%s'", name);
      lua_pushlstring(state, text + unnamed + kUnnamed.size(), size - unnamed - kUnnamed.size());
      lua_concat(state, 3);
    }
    lua_concat(state, 2);
  }
  lua_error(state);
  __builtin_unreachable();
}

}  // namespace

int call_original(lua_State* state, const char* name) {
  const int arguments = lua_gettop(state);
  lua_pushvalue(state, lua_upvalueindex(1));
  lua_insert(state, 1);
  if (lua_pcall(state, arguments, LUA_MULTRET, 0) != 0) raise_as(state, name);
  return lua_gettop(state);
}

}  // namespace gibbous::lua
