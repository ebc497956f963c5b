// The counting allocator. It is called from inside the interpreter: it never throws, and it never
// calls Lua (Budget::look_soon only re-arms the hook, which LuaJIT allows at any moment).
#include "bindings/lua/vm/alloc.h"

#include <algorithm>
#include <lua.hpp>

#include "bindings/lua/vm/state.h"

namespace gibbous::lua {

namespace {

// One instruction may copy megabytes (s .. 'x'), so a thousand of them may take a second. Large
// blocks are therefore counted, and after this many bytes the budget looks at the clock at the next
// instruction. The same check collects garbage when the cap comes near, because nothing may be
// collected here.
constexpr std::size_t kBulkBlockBytes = std::size_t{32} << 10;
constexpr std::size_t kBulkBytesPerLook = std::size_t{2} << 20;
constexpr std::size_t kKibibyte = 1024;
// A share of the limit: this much garbage may remain uncollected when the limit is reached.
constexpr std::size_t kSmallestStep = 32;

}  // namespace

void MemoryCap::collected() {
  const std::size_t limit = limits_.total_bytes;
  const std::size_t left = limit - std::min(used_, limit);
  // Leave room before the next collection: a state nearly full of live data would otherwise do
  // nothing but collect.
  collect_above_ = std::max(limit / 4 * 3, used_ + std::max(left / 2, limit / kSmallestStep));
  held_outside_ = entering_ ? used_ : std::min(held_outside_, used_);
  entering_ = false;
}

void MemoryCap::enter() {
  // What the last collection could not free may be garbage by now, such as a dead coroutine's
  // stack.
  const std::size_t limit = limits_.total_bytes;
  const bool has_room =
      used_ + limit / kSmallestStep <= limit;  // else the script would fail at once
  if (has_room && used_ <= std::max(limit / 4 * 3, held_outside_ + limit / kSmallestStep)) return;
  entering_ = true;
  collect_above_ = 0;
}

void MemoryCap::attach(lua_State* state) {
  used_ = static_cast<std::size_t>(lua_gc(state, LUA_GCCOUNT, 0)) * kKibibyte +
          static_cast<std::size_t>(lua_gc(state, LUA_GCCOUNTB, 0));
  peak_ = used_;
  inner_ = lua_getallocf(state, &inner_data_);
  lua_setallocf(state, &MemoryCap::allocate, this);
}

void MemoryCap::detach(lua_State* state) {
  lua_setallocf(state, inner_, inner_data_);
}

void* MemoryCap::allocate(void* self, void* block, std::size_t old_size, std::size_t new_size) {
  auto& cap = *static_cast<MemoryCap*>(self);
  if (new_size > old_size && cap.enforced_) {
    const std::size_t more = new_size - old_size;
    const bool fits =
        cap.used_ <= cap.limits_.total_bytes && more <= cap.limits_.total_bytes - cap.used_;
    if (!fits || new_size > cap.limits_.single_bytes) {
      cap.refused_ = new_size;
      // When the script catches the error, garbage is collected before it goes on.
      cap.collect_above_ = 0;
      cap.owner_->budget().look_soon();
      return nullptr;
    }
  }
  void* result = cap.inner_(cap.inner_data_, block, old_size, new_size);
  if (result == nullptr && new_size != 0) {
    cap.refused_ = new_size;
    return nullptr;
  }
  cap.used_ = cap.used_ - old_size + new_size;
  if (cap.used_ > cap.peak_) cap.peak_ = cap.used_;
  if (new_size >= kBulkBlockBytes) cap.bulk_ += new_size;
  if (cap.bulk_ >= kBulkBytesPerLook || cap.used_ > cap.collect_above_) {
    cap.bulk_ = 0;
    cap.owner_->budget().look_soon();
  }
  return result;
}

}  // namespace gibbous::lua
