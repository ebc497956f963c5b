// Budget: how long scripts of one state may run. A count hook looks at the clock; past the total
// the error is sticky (raised again at every instruction, so that pcall cannot swallow it); past
// the slice the coroutine yields, so that a long script never holds the loop. JIT is off, so hooks
// always fire. One per State; loop thread.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "runtime/base/clock.h"

struct lua_State;
struct lua_Debug;

namespace gibbous::lua {

class MemoryCap;

struct BudgetLimits {
  Nanos total{0};             // Lua time that is left for this call; 0: none
  Nanos slice{0};             // yield after this much in one go, when `root` may yield; 0: never
  int instructions = 1000;    // between two looks at the clock
  lua_State* root = nullptr;  // the only coroutine that may be yielded by slice
  Nanos granted{0};           // what the message names, when `total` is a rest of it; 0: total
};

class Budget {
 public:
  Budget(const Clock& clock, MemoryCap& memory) : clock_(clock), memory_(memory) {}
  // From here on the clock runs, for every coroutine of the state. Limits without a total arm
  // nothing.
  void arm(lua_State* state, const BudgetLimits& limits);
  // Stops it and gives the time used since arm(). exceeded() keeps its answer until the next arm().
  Nanos disarm(lua_State* state);
  // The total ran out since arm(): whatever the script returned, the call failed with
  // budget_exceeded.
  bool exceeded() const { return now_.exceeded; }
  // "file:line: time budget of N ms exceeded", with the place where it ran out first.
  const std::string& message() const { return now_.message; }
  // How often it looked at the clock between the last arm() and disarm(): few looks in a long time
  // mean that the machine did not let it run.
  std::size_t looks() const { return last_looks_; }
  // The resume ended because its slice was over: resume it again, with no values.
  bool take_sliced() { return std::exchange(now_.sliced, false); }
  // The Budget of the state that `state` belongs to.
  static Budget& of(lua_State* state);
  // For C functions that loop over script data: charges `steps`, and raises when the budget is
  // gone. A step is a few nanoseconds of work.
  void charge(lua_State* state, std::size_t steps);
  // For C functions that call back into Lua, before they do: raises when such calls are nested so
  // deep that the C stack is in danger (LuaJIT itself only watches the Lua stack).
  void check_c_stack(lua_State* state);
  // Looks at the clock at the next instruction. Safe inside an allocation.
  void look_soon();

  // State::protect nests: what was armed outside goes on afterwards, its clock never having
  // stopped.
  struct Armed {
    BudgetLimits limits;
    Nanos at{0};
    lua_State* state = nullptr;  // null: not armed
    const char* c_stack = nullptr;
    std::size_t steps = 0;
    std::size_t looks = 0;
    bool soon = false;
    bool exceeded = false;
    bool sliced = false;
    std::string message;  // with the place where the total ran out first
  };
  Armed suspend(lua_State* state);
  void restore(lua_State* state, Armed armed);

 private:
  static void hook(lua_State* state, lua_Debug* info);
  void on_count(lua_State* state);
  Nanos look(lua_State* state);
  [[noreturn]] void raise(lua_State* state);
  void set_hook(lua_State* state, int instructions);
  void clear_hook(lua_State* state);
  const Clock& clock_;
  MemoryCap& memory_;
  Armed now_;
  bool hooked_ = false;
  std::size_t last_looks_ = 0;
};

}  // namespace gibbous::lua
