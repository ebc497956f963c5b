// MemoryCap limits how much memory one lua_State may hold, and its largest single allocation. It
// wraps LuaJIT's own allocator, because a plain realloc is a quarter slower. It counts from the
// first byte but enforces only once the state exists: failing inside lua_newstate crashes on Debian
// 12. One for each State; loop thread.
#pragma once

#include <cstddef>

struct lua_State;

namespace gibbous::lua {

class State;

struct MemoryLimits {
  std::size_t total_bytes = std::size_t{64} << 20;
  std::size_t single_bytes = std::size_t{4} << 20;
};

class MemoryCap {
 public:
  // State::of() returns `owner`, which must outlive the lua_State.
  MemoryCap(MemoryLimits limits, State* owner) : limits_(limits), owner_(owner) { collected(); }
  // Call after luaL_newstate and before anything else runs.
  void attach(lua_State* state);
  // Call before lua_close, or LuaJIT's arena is not returned.
  void detach(lua_State* state);
  // Switch it off while the host itself builds values that must not fail.
  void set_enforced(bool enforced) { enforced_ = enforced; }
  bool enforced() const { return enforced_; }

  State* owner() const { return owner_; }
  const MemoryLimits& limits() const { return limits_; }
  std::size_t used() const { return used_; }
  std::size_t peak() const { return peak_; }
  // Returns the size of the last rejected request; 0 when there was none since clear_refused().
  std::size_t refused() const { return refused_; }
  void clear_refused() { refused_ = 0; }

  // LuaJIT has no emergency collection: above three quarters, the budget hook runs a full one.
  bool wants_collect() const { return used_ > collect_above_; }
  // A full collection has ended. The next one comes when half of the remaining space is used, but
  // not before a thirty-second of the limit is, so that a state that lives near its limit does not
  // collect all the time.
  void collected();
  // Call before a script runs. Above three quarters, it collects what the last script held, unless
  // that much was found to be live between calls before and there is room beside it.
  void enter();

 private:
  static void* allocate(void* self, void* block, std::size_t old_size, std::size_t new_size);
  MemoryLimits limits_;
  State* owner_;
  void* (*inner_)(void*, void*, std::size_t, std::size_t) = nullptr;
  void* inner_data_ = nullptr;
  std::size_t used_ = 0;
  std::size_t peak_ = 0;
  std::size_t collect_above_ = 0;
  std::size_t held_outside_ = 0;  // live when the last enter() collected
  bool entering_ = false;
  std::size_t refused_ = 0;
  std::size_t bulk_ = 0;  // allocated in large blocks since the budget last looked at the clock
  bool enforced_ = false;
};

}  // namespace gibbous::lua
