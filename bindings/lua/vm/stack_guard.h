// StackGuard: a function declares how it changes the Lua stack, and debug builds check it. Loop
// thread only.
#pragma once

#include <cassert>
#include <lua.hpp>

namespace gibbous::lua {

// check() aborts when the stack height is not the promised one. The destructor does not, because a
// Lua error runs it too, with a stack of any height.
class StackGuard {
 public:
  explicit StackGuard(lua_State* state, int change = 0)
      : state_(state), expected_(lua_gettop(state) + change) {}
  void check() const { assert(lua_gettop(state_) == expected_); }

 private:
  [[maybe_unused]] lua_State* state_;
  [[maybe_unused]] int expected_;
};

}  // namespace gibbous::lua
