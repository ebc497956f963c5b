// Budget limits how long scripts of one state may run. A count hook looks at the clock. Past the
// total the error is sticky (raised again at every instruction, so that pcall cannot swallow it);
// past the slice the coroutine yields, so that a long script never blocks the loop. The JIT is off,
// so hooks always fire. One for each State; loop thread.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "runtime/base/clock.h"

struct lua_State;
struct lua_Debug;

namespace gibbous::lua {

class MemoryCap;

inline constexpr int kMostWaiting = 20;
inline constexpr Millis kMostStop{100};

// The processor time that this thread has used.
Nanos thread_time();

struct BudgetLimits {
  Nanos total{0};  // Lua time left for this call; 0: none
  Nanos slice{0};  // yield after this much without a pause, when `root` may yield; 0: never
  // Longest time without a pause where there is no way to pause, such as in a long step of a
  // library function; 0: no limit. Counted like `total` with `processor`.
  Nanos hold{0};
  int instructions = 1000;    // between two looks at the clock
  lua_State* root = nullptr;  // the only coroutine that a slice may yield
  Nanos granted{0};           // the figure in the message, when `total` is the rest of it; 0: total
  // A machine that is busy with other things does not use up `total`: its second half, or all of it
  // once half of `granted` was used before, counts as processor time of this thread. kMostWaiting
  // times as long on the clock (of the longer of both) is too long, too. Of a stop between two
  // looks at the clock, kMostStop counts for that.
  bool processor = false;
};

class Budget {
 public:
  Budget(const Clock& clock, MemoryCap& memory) : clock_(clock), memory_(memory) {}
  // Starts the clock for every coroutine of the state. Limits without a total arm nothing.
  void arm(lua_State* state, const BudgetLimits& limits);
  // Stops it and returns the time used since arm(), as far as it counts (see `processor`).
  // exceeded() keeps its answer until the next arm().
  Nanos disarm(lua_State* state);
  // Returns true when the total was exceeded since arm(): whatever the script returned, the call
  // failed with budget_exceeded.
  bool exceeded() const { return now_.exceeded; }
  // Returns "file:line: time budget of N ms exceeded", with the place where it was first exceeded.
  const std::string& message() const { return now_.message; }
  // Returns true when the resume ended because its slice was used up: resume it again, with no
  // values.
  bool take_sliced() { return std::exchange(now_.sliced, false); }
  // Returns the Budget of the state that `state` belongs to.
  static Budget& of(lua_State* state);
  // For C functions that loop over script data: charges `steps`, and raises when the budget is used
  // up, or the loop held for too long. A step is a few nanoseconds of work.
  void charge(lua_State* state, std::size_t steps);
  // For C functions that hold C++ objects, which an error must not skip: true when charge() would
  // raise. They clean up, and charge then.
  bool is_late();
  // For C functions that call back into Lua, before they do: raises when such calls nest so deeply
  // that the C stack is in danger (LuaJIT itself only checks the Lua stack).
  void check_c_stack(lua_State* state);
  // Looks at the clock at the next instruction. Safe inside an allocation.
  void look_soon();

  // State::protect nests: the outer budget continues afterwards, and its clock never stops.
  struct Armed {
    BudgetLimits limits;
    Nanos at{0};
    Nanos held_at{0};             // the same for `hold`
    Nanos looked{0};              // time used at the last look
    Nanos stopped{0};             // of it: in which the machine stood still
    Nanos processor_at{0};        // the thread's time since when it counts; 0: not yet
    bool in_second_half = false;  // from the beginning: half was used before
    lua_State* state = nullptr;   // null: not armed
    const char* c_stack = nullptr;
    std::size_t steps = 0;
    bool soon = false;
    bool exceeded = false;
    bool sliced = false;
    std::string message;  // with the place where the total was first exceeded
  };
  Armed suspend(lua_State* state);
  void restore(lua_State* state, Armed armed);

 private:
  static void hook(lua_State* state, lua_Debug* info);
  void on_count(lua_State* state);
  Nanos look(lua_State* state);
  Nanos look_at_clock();  // returns the time since arm()
  void check_hold(lua_State* state, Nanos used);
  bool is_over(Nanos used);  // more than the total
  bool is_held(Nanos used);  // longer than may be held
  [[noreturn]] void exceed(lua_State* state, const std::string& message);
  [[noreturn]] void raise(lua_State* state);
  void set_hook(lua_State* state, int instructions);
  void clear_hook(lua_State* state);
  const Clock& clock_;
  MemoryCap& memory_;
  Armed now_;
  bool hooked_ = false;
};

}  // namespace gibbous::lua
