// StackGuard: a function of bindings/lua says how it changes the stack, and debug builds hold it to
// that. Loop thread only.
#pragma once

#include <cassert>
#include <lua.hpp>

namespace gibbous::lua {

// check() aborts when the stack is at another height than promised. It is not the destructor that
// does: a Lua error runs that too, with a stack of any height.
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
