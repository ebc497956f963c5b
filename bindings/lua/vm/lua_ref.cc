// References are slots of the registry, given out by luaL_ref.
#include "bindings/lua/vm/lua_ref.h"

#include <lua.hpp>
#include <utility>

#include "bindings/lua/vm/state.h"

namespace gibbous::lua {

LuaRef LuaRef::take(lua_State* from) {
  LuaRef ref;
  ref.ref_ = luaL_ref(from, LUA_REGISTRYINDEX);
  ref.owner_ = &State::of(from);
  return ref;
}

LuaRef::LuaRef(LuaRef&& other) noexcept
    : owner_(std::exchange(other.owner_, nullptr)), ref_(std::exchange(other.ref_, LUA_NOREF)) {}

LuaRef& LuaRef::operator=(LuaRef&& other) noexcept {
  if (this != &other) {
    reset();
    owner_ = std::exchange(other.owner_, nullptr);
    ref_ = std::exchange(other.ref_, LUA_NOREF);
  }
  return *this;
}

void LuaRef::push(lua_State* to) const {
  if (owner_ == nullptr) {
    lua_pushnil(to);
    return;
  }
  lua_rawgeti(to, LUA_REGISTRYINDEX, ref_);
}

void LuaRef::reset() {
  if (owner_ == nullptr) return;
  luaL_unref(owner_->main(), LUA_REGISTRYINDEX, ref_);
  owner_ = nullptr;
  ref_ = LUA_NOREF;
}

}  // namespace gibbous::lua
