// Budget: runaways end, the error is sticky, a slice yields and goes on, nested calls keep their
// own limits.
#include "bindings/lua/vm/budget.h"

#include <lua.hpp>
#include <string>

#include "bindings/lua/vm/state.h"
#include "tests/bindings/lua/vm/state_fixture.h"
#include "tests/support/catch.h"

namespace gibbous::lua {
namespace {

using test::make_state;
using test::run;
using test::TickingClock;

constexpr Nanos kShort = std::chrono::milliseconds(30);

TEST_CASE("an endless loop ends with an error that names its line") {
  const TickingClock clock(std::chrono::milliseconds(1));
  auto state = make_state(&clock);
  const ScriptError error =
      run(*state, "local n = 0\n\nwhile true do n = n + 1 end", "loop.lua", kShort);
  CHECK(error.code == "budget_exceeded");
  CHECK(error.message == "time budget of 30 ms exceeded");
  CHECK(error.file == "loop.lua");
  CHECK(error.line == 3);
  CHECK(run(*state, "return 1").text().empty());
}

TEST_CASE("pcall cannot swallow the budget, and the place is where it ran out first") {
  const TickingClock clock(std::chrono::milliseconds(1));
  auto state = make_state(&clock);
  const ScriptError error = run(*state,
                                "local function loop()\n"
                                "  while true do end\n"
                                "end\n"
                                "while true do\n"
                                "  pcall(loop)\n"
                                "end",
                                "swallow.lua", kShort);
  CHECK(error.code == "budget_exceeded");
  CHECK(error.line == 2);
}

TEST_CASE("a call that ended normally after its budget was used up is a failure") {
  const TickingClock clock(std::chrono::milliseconds(1));
  auto state = make_state(&clock);
  // Only the return runs after the pcall.
  const ScriptError error =
      run(*state, "return pcall(function() while true do end end)", test::kChunk, kShort);
  CHECK(error.code == "budget_exceeded");
}

TEST_CASE("the message names the whole budget, not the remaining one") {
  auto state = make_state();
  BudgetLimits limits;
  limits.total = std::chrono::milliseconds(5);
  limits.granted = std::chrono::milliseconds(1000);
  ScriptError error;
  state->protect(
      limits,
      [](lua_State* lua) {
        REQUIRE(load_chunk(lua, "while true do end", "loop.lua"));
        lua_call(lua, 0, 0);
      },
      &error);
  CHECK(error.message == "time budget of 1000 ms exceeded");
}

TEST_CASE("a thread that a busy machine does not run uses up no processor time") {
  // Each look at this clock is 1 ms later, and the thread itself has hardly run.
  const TickingClock clock(std::chrono::milliseconds(1));
  auto state = make_state(&clock);
  BudgetLimits limits;
  limits.total = kShort;
  limits.processor = true;
  const auto loop = [&](const char* text, ScriptError* error) {
    return state->protect(
        limits,
        [text](lua_State* lua) {
          REQUIRE(load_chunk(lua, text, "loop.lua"));
          lua_call(lua, 0, 0);
        },
        error);
  };
  ScriptError error;
  const char* hundred_looks = "for i = 1, 100000 do end";
  CHECK(loop(hundred_looks, &error));
  SECTION("but an endless loop ends all the same") {
    CHECK_FALSE(loop("while true do end", &error));
    CHECK(error.message == "time budget of 30 ms exceeded");
  }
  SECTION("and a budget of plain time is used up") {
    limits.processor = false;
    CHECK_FALSE(loop(hundred_looks, &error));
    CHECK(error.code == "budget_exceeded");
  }
}

TEST_CASE("once half of a call's time is used, the rest counts as processor time in each step") {
  const TickingClock clock(std::chrono::milliseconds(1));
  auto state = make_state(&clock);
  const auto step = [&](Nanos left) {
    BudgetLimits limits;
    limits.total = left;
    limits.granted = kShort;
    limits.processor = true;
    limits.slice = kShort;
    Budget& budget = state->budget();
    budget.arm(state->main(), limits);
    REQUIRE(load_chunk(state->main(), "for i = 1, 10000 do end", "loop.lua"));
    REQUIRE(lua_pcall(state->main(), 0, 0, 0) == 0);
    return budget.disarm(state->main());
  };
  constexpr Nanos kTenLooks = std::chrono::milliseconds(10);
  CHECK(step(kShort) >= kTenLooks);
  CHECK(step(kShort / 2) < kTenLooks);
}

// Stands still but for one jump, between two looks at it.
class JumpingClock final : public Clock {
 public:
  void jump(Nanos by, int after_looks) {
    jump_ = by;
    left_ = after_looks;
  }
  Nanos now() const override { return --left_ < 0 ? jump_ : Nanos{0}; }
  Millis wall() const override { return Millis{0}; }

 private:
  Nanos jump_{0};
  mutable int left_ = 0;
};

TEST_CASE("a machine that stands still takes half of a call's time at most, and ends no call") {
  JumpingClock clock;
  auto state = make_state(&clock);
  BudgetLimits limits;
  limits.total = kShort;
  limits.granted = kShort;
  limits.hold = kShort / 2;
  limits.processor = true;
  Budget& budget = state->budget();
  clock.jump(kMostWaiting * kShort * 2, 4);
  budget.arm(state->main(), limits);
  REQUIRE(load_chunk(state->main(), "for i = 1, 10000 do end", "loop.lua"));
  REQUIRE(lua_pcall(state->main(), 0, 0, 0) == 0);
  CHECK_FALSE(budget.exceeded());
  const Nanos used = budget.disarm(state->main());
  CHECK(used >= kShort / 2);
  CHECK(used < kShort);
}

TEST_CASE("a slice yields the root coroutine, which continues with the right result") {
  const TickingClock clock(std::chrono::milliseconds(1));
  auto state = make_state(&clock);
  LuaRef keep;
  ScriptError error;
  lua_State* task = test::new_task(*state,
                                   "local sum = 0\n"
                                   "local t = setmetatable({}, { __add = function(a, b)\n"
                                   "  for i = 1, 1000 do sum = sum + 1 end\n"
                                   "  return 0\n"
                                   "end })\n"
                                   "for i = 1, 50 do local _ = t + 1 end\n"
                                   "pcall(function() for i = 1, 50000 do sum = sum + 1 end end)\n"
                                   "return sum",
                                   "slices.lua", &keep, &error);
  REQUIRE(task != nullptr);
  BudgetLimits limits;
  limits.total = std::chrono::hours(1);
  limits.slice = std::chrono::milliseconds(3);
  limits.root = task;
  int slices = 0;
  int status = LUA_YIELD;
  Nanos used{0};
  while (status == LUA_YIELD) {
    state->budget().arm(state->main(), limits);
    status = lua_resume(task, 0);
    used += state->budget().disarm(state->main());
    const bool sliced = state->budget().take_sliced();
    REQUIRE(sliced == (status == LUA_YIELD));
    slices += sliced ? 1 : 0;
  }
  REQUIRE(status == 0);
  CHECK(lua_tonumber(task, -1) == 100000);
  CHECK(slices > 10);
  CHECK(used > Nanos{0});
}

TEST_CASE("a slice never yields inside a sort comparator or a gsub callback") {
  const TickingClock clock(std::chrono::milliseconds(1));
  auto state = make_state(&clock);
  LuaRef keep;
  ScriptError error;
  lua_State* task =
      test::new_task(*state,
                     "local n = 0\n"
                     "local function work(a, b)\n"
                     "  for i = 1, 3000 do n = n + 1 end\n"
                     "  return b and a < b\n"
                     "end\n"
                     "local t = { 3, 1, 2 }\n"
                     "table.sort(t, work)\n"
                     "local s = ('abc'):gsub('.', function(c) work(1) return c:upper() end)\n"
                     "return table.concat(t) .. s",
                     "callbacks.lua", &keep, &error);
  REQUIRE(task != nullptr);
  BudgetLimits limits;
  limits.total = std::chrono::hours(1);
  limits.slice = std::chrono::milliseconds(1);
  limits.root = task;
  int status = LUA_YIELD;
  while (status == LUA_YIELD) {
    state->budget().arm(state->main(), limits);
    status = lua_resume(task, 0);
    state->budget().disarm(state->main());
    state->budget().take_sliced();
  }
  REQUIRE(status == 0);
  CHECK(std::string(lua_tostring(task, -1)) == "123ABC");
}

TEST_CASE("a nested call has its own budget, and the outer one continues") {
  const TickingClock clock(std::chrono::milliseconds(1));
  auto state = make_state(&clock);
  ScriptError inner;
  ScriptError outer;
  BudgetLimits limits;
  limits.total = std::chrono::milliseconds(200);
  const bool ok = state->protect(
      limits,
      [&](lua_State* lua) {
        inner =
            run(State::of(lua), "while true do end", "inner.lua", std::chrono::milliseconds(20));
        REQUIRE(load_chunk(lua, "\nwhile true do end", "outer.lua"));
        lua_call(lua, 0, 0);
      },
      &outer);
  CHECK_FALSE(ok);
  CHECK(inner.file == "inner.lua");
  CHECK(inner.message == "time budget of 20 ms exceeded");
  CHECK(outer.file == "outer.lua");
  CHECK(outer.line == 2);
  CHECK(outer.message == "time budget of 200 ms exceeded");
}

TEST_CASE("a C function that loops is stopped by its charges") {
  auto state = make_state();
  BudgetLimits limits;
  limits.total = kShort;
  ScriptError error;
  state->protect(
      limits,
      [](lua_State* lua) {
        Budget& budget = Budget::of(lua);
        while (true) budget.charge(lua, 100);
      },
      &error);
  CHECK(error.code == "budget_exceeded");
}

TEST_CASE("large copies are checked more often than every thousand instructions") {
  const TickingClock clock(std::chrono::milliseconds(1));
  auto state = make_state(&clock);
  const ScriptError error = run(*state,
                                "copies = 0\n"
                                "local s = ('x'):rep(1048576)\n"
                                "while true do\n"
                                "  local a = s .. copies\n"
                                "  copies = copies + 1\n"
                                "end",
                                test::kChunk, kShort, 1'000'000);
  CHECK(error.code == "budget_exceeded");
  CHECK(run(*state, "assert(copies < 100, copies)").text() == "");
}

TEST_CASE("without a total no hook is armed") {
  auto state = make_state();
  ScriptError error;
  CHECK(state->protect(
      {}, [](lua_State* lua) { REQUIRE(lua_gethook(lua) == nullptr); }, &error));
}

}  // namespace
}  // namespace gibbous::lua
