// The count hook raises and yields through its own frames, so nothing here is noexcept, and no
// object with a destructor is alive when it does.
#include "bindings/lua/vm/budget.h"

#include <lua.hpp>

#include <algorithm>
#include <ctime>

#include "bindings/lua/vm/alloc.h"
#include "bindings/lua/vm/state.h"

namespace gibbous::lua {

namespace {

constexpr std::size_t kStepsPerLook = 20'000;  // tens of microseconds of C code
constexpr int kEveryInstruction = 1;
// A step may take so many times its limit on the clock while a busy machine lets it wait.
constexpr int kMostHeld = 50;
// The host's threads may have small stacks and may already be deep in their own code.
constexpr std::ptrdiff_t kMaxCStackBytes = std::ptrdiff_t{512} << 10;

const char* stack_address() {
  return static_cast<const char*>(__builtin_frame_address(0));
}

std::string describe(Nanos time) {
  const auto millis = std::chrono::duration_cast<Millis>(time);
  if (millis == time) return std::to_string(millis.count()) + " ms";
  return std::to_string(std::chrono::duration_cast<std::chrono::microseconds>(time).count()) +
         " us";
}

}  // namespace

Nanos thread_time() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + Nanos(time.tv_nsec);
}

Budget& Budget::of(lua_State* state) {
  return State::of(state).budget();
}

void Budget::set_hook(lua_State* state, int instructions) {
  lua_sethook(state, &Budget::hook, LUA_MASKCOUNT, instructions);
  hooked_ = true;
}

void Budget::clear_hook(lua_State* state) {
  if (hooked_) lua_sethook(state, nullptr, 0, 0);
  hooked_ = false;
}

void Budget::arm(lua_State* state, const BudgetLimits& limits) {
  const char* outer_stack = now_.c_stack;
  now_ = Armed{};
  now_.limits = limits;
  now_.at = clock_.now();
  now_.state = state;
  now_.c_stack = outer_stack != nullptr ? outer_stack : stack_address();
  now_.in_second_half = limits.processor && limits.total <= limits.granted / 2;
  if (now_.in_second_half) now_.processor_at = thread_time();
  if (limits.total <= Nanos{0} && limits.slice <= Nanos{0}) {
    clear_hook(state);
    return;
  }
  // First collect what an earlier call left near the cap.
  now_.soon = memory_.wants_collect();
  set_hook(state, now_.soon ? kEveryInstruction : limits.instructions);
}

Nanos Budget::disarm(lua_State* state) {
  if (now_.state == nullptr) return Nanos{0};
  clear_hook(state);
  now_.state = nullptr;
  now_.c_stack = nullptr;
  const Nanos used = clock_.now() - now_.at;
  if (now_.in_second_half) return std::min(used, thread_time() - now_.processor_at);
  const Nanos half = now_.limits.total / 2;
  if (!now_.limits.processor || used <= half) return used;
  // The clock can have passed half of it since the last look.
  const bool seen = now_.processor_at != Nanos{0};
  return std::min(used, half + (seen ? thread_time() - now_.processor_at : Nanos{0}));
}

Nanos Budget::look_at_clock() {
  const Nanos used = clock_.now() - now_.at;
  now_.stopped += std::max(Nanos{0}, used - now_.looked - kMostStop);
  now_.looked = used;
  return used;
}

Budget::Armed Budget::suspend(lua_State* state) {
  clear_hook(state);
  Armed outer = std::move(now_);
  now_ = Armed{};
  now_.c_stack = outer.c_stack;
  return outer;
}

void Budget::restore(lua_State* state, Armed armed) {
  now_ = std::move(armed);
  if (now_.state == nullptr) return;
  if (now_.exceeded) {
    set_hook(state, kEveryInstruction);
  } else if (now_.limits.total > Nanos{0} || now_.limits.slice > Nanos{0}) {
    // The nested call's time counts: look at the clock at once.
    now_.soon = true;
    set_hook(state, kEveryInstruction);
  }
}

void Budget::look_soon() {
  if (now_.state == nullptr || now_.soon || now_.exceeded) return;
  if (now_.limits.total <= Nanos{0} && now_.limits.slice <= Nanos{0}) return;
  now_.soon = true;
  set_hook(now_.state, kEveryInstruction);
}

void Budget::hook(lua_State* state, lua_Debug* info) {
  static_cast<void>(info);
  Budget::of(state).on_count(state);
}

void Budget::on_count(lua_State* state) {
  if (now_.state == nullptr) {  // armed by unknown code: remove it
    clear_hook(state);
    return;
  }
  if (now_.soon && !now_.exceeded) {
    now_.soon = false;
    set_hook(state, now_.limits.instructions);
  }
  const Nanos used = look(state);
  if (memory_.wants_collect()) {
    lua_gc(state, LUA_GCCOLLECT, 0);
    memory_.collected();
  }
  if (now_.limits.slice > Nanos{0} && used >= now_.limits.slice && state == now_.limits.root &&
      lua_isyieldable(state) != 0) {
    now_.sliced = true;
    lua_yield(state, 0);
  } else {
    check_hold(state, used);
  }
}

bool Budget::is_over(Nanos used) {
  const Nanos total = now_.limits.total;
  if (total <= Nanos{0}) return false;
  // Most calls end long before, and asking for the thread's time is a system call.
  if (now_.limits.processor && now_.processor_at == Nanos{0} && used >= total / 2)
    now_.processor_at = thread_time();
  return used >= total &&
         (!now_.limits.processor ||
          used - now_.stopped >= kMostWaiting * std::max(total, now_.limits.granted) ||
          thread_time() - now_.processor_at >= (now_.in_second_half ? total : total / 2));
}

bool Budget::is_held(Nanos used) {
  const Nanos hold = now_.limits.hold;
  if (hold <= Nanos{0} || used < hold / 2) return false;
  if (now_.held_at == Nanos{0}) now_.held_at = thread_time();
  return used >= hold &&
         (used - now_.stopped >= kMostHeld * hold || thread_time() - now_.held_at >= hold / 2);
}

bool Budget::is_late() {
  if (now_.state == nullptr) return false;
  const Nanos used = look_at_clock();
  return now_.exceeded || is_over(used) || is_held(used);
}

// Returns the time since arm(), or raises when that exceeds the total.
Nanos Budget::look(lua_State* state) {
  if (now_.exceeded) raise(state);
  const Nanos used = look_at_clock();
  if (!is_over(used)) return used;
  const Nanos granted = now_.limits.granted > Nanos{0} ? now_.limits.granted : now_.limits.total;
  exceed(state, "time budget of " + describe(granted) + " exceeded");
}

// Called where the script could not pause.
void Budget::check_hold(lua_State* state, Nanos used) {
  if (!is_held(used)) return;
  exceed(state, "time budget of " + describe(now_.limits.hold) +
                    " without a pause exceeded: do this in smaller steps, or raise lua.hold_ms");
}

void Budget::exceed(lua_State* state, const std::string& message) {
  now_.exceeded = true;
  set_hook(state, kEveryInstruction);
  now_.message = State::of(state).where(state) + message;
  raise(state);
}

void Budget::raise(lua_State* state) {
  lua_pushlstring(state, now_.message.data(), now_.message.size());
  lua_error(state);
  __builtin_unreachable();
}

void Budget::charge(lua_State* state, std::size_t steps) {
  now_.steps += steps;
  if (now_.steps < kStepsPerLook || now_.state == nullptr) return;
  now_.steps = 0;
  const Nanos used = look(state);
  check_hold(state, used);
  if (now_.limits.slice > Nanos{0} && used >= now_.limits.slice) look_soon();
}

void Budget::check_c_stack(lua_State* state) {
  if (now_.c_stack == nullptr || now_.c_stack - stack_address() < kMaxCStackBytes) return;
  luaL_error(state, "C stack overflow (callbacks are nested too deep)");
}

}  // namespace gibbous::lua
