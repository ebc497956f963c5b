// LuaRef keeps one Lua value alive from C++. Never store a raw lua_State* or a registry number
// instead. Used wherever C++ holds Lua values. Loop thread only.
#pragma once

struct lua_State;

namespace gibbous::lua {

class State;

// A registry reference that knows its state. Must not outlive it.
class LuaRef {
 public:
  LuaRef() = default;
  // Pops the value on top of `from` (any coroutine of the state).
  static LuaRef take(lua_State* from);
  ~LuaRef() { reset(); }
  LuaRef(LuaRef&& other) noexcept;
  LuaRef& operator=(LuaRef&& other) noexcept;
  LuaRef(const LuaRef&) = delete;
  LuaRef& operator=(const LuaRef&) = delete;
  void push(lua_State* to) const;
  explicit operator bool() const { return owner_ != nullptr; }
  // Needs one free slot on the main stack and never raises: the registry's free list is prepared.
  void reset();

 private:
  State* owner_ = nullptr;
  int ref_ = -2;  // LUA_NOREF
};

}  // namespace gibbous::lua
