// RegistryFlag: a yes or no of a Lua state, for functions that get nothing but the state. Its
// address is its key in the registry. Loop thread only, in a protected call.
#pragma once

#include <lua.hpp>

namespace gibbous::lua {

class RegistryFlag {
 public:
  constexpr RegistryFlag() = default;
  RegistryFlag(const RegistryFlag&) = delete;
  RegistryFlag& operator=(const RegistryFlag&) = delete;

  void set(lua_State* state, bool value) const {
    push_key(state);
    lua_pushboolean(state, value ? 1 : 0);
    lua_rawset(state, LUA_REGISTRYINDEX);
  }
  // False until it is set.
  bool is_set(lua_State* state) const {
    push_key(state);
    lua_rawget(state, LUA_REGISTRYINDEX);
    const bool value = lua_toboolean(state, -1) != 0;
    lua_pop(state, 1);
    return value;
  }

 private:
  void push_key(lua_State* state) const {
    lua_pushlightuserdata(state, const_cast<RegistryFlag*>(this));
  }
};

}  // namespace gibbous::lua
