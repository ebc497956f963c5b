// The table `time`. time.sleep is the model of a suspending function: a leaf, wrapped by
// push_suspending, that starts an operation, hands it to its task, and completes it from the loop.
#include <cmath>
#include <cstdint>
#include <lua.hpp>
#include <memory>
#include <string>
#include <utility>

#include "bindings/lua/api/api.h"
#include "bindings/lua/call/context.h"
#include "bindings/lua/call/task.h"
#include "bindings/lua/vm/one_shot_timer.h"
#include "runtime/base/duration.h"
#include "runtime/runs/runs.h"

namespace gibbous::lua {
namespace {

// By a clock that specs move.
class SpecSleepOp final : public PendingOp {
 public:
  SpecSleepOp(Runs& runs, Millis delay, Completer complete) : runs_(runs) {
    token_ = runs_.after(
        delay, [complete = std::move(complete)] { complete([](lua_State*) { return 0; }); });
  }
  void cancel() override { runs_.cancel(token_); }

 private:
  Runs& runs_;
  Deadlines::Token token_ = 0;
};

constexpr double kMaxSleepMillis = 30.0 * 24 * 3600 * 1000;  // 30 days

class SleepOp final : public PendingOp {
 public:
  SleepOp(uv_loop_s* loop, Millis delay, Completer complete) {
    timer_.start(loop, delay, /*background=*/false,
                 [complete = std::move(complete)] { complete([](lua_State*) { return 0; }); });
  }
  void cancel() override { timer_.stop(); }

 private:
  OneShotTimer timer_;
};

int l_time_sleep(lua_State* state) {
  const double millis = luaL_checknumber(state, 1);
  luaL_argcheck(state, millis >= 0 && millis <= kMaxSleepMillis, 1,
                "expected milliseconds from 0 to 30 days");
  const auto task = Task::current(state);
  const Millis delay{static_cast<std::int64_t>(std::ceil(millis))};
  const Context& context = context_of(state);
  if (context.specs != nullptr) {
    return task->suspend(state,
                         std::make_unique<SpecSleepOp>(*context.runs, delay, task->completer()));
  }
  return task->suspend(state, std::make_unique<SleepOp>(context.loop, delay, task->completer()));
}

int l_time_now_ms(lua_State* state) {
  lua_pushnumber(state, static_cast<double>(context_of(state).clock->wall().count()));
  return 1;
}

int l_time_monotonic_ms(lua_State* state) {
  constexpr double kNanosPerMilli = 1e6;
  lua_pushnumber(state,
                 static_cast<double>(context_of(state).clock->now().count()) / kNanosPerMilli);
  return 1;
}

int l_time_format_duration(lua_State* state) {
  const double millis = luaL_checknumber(state, 1);
  constexpr double kMaxShown = 1e15;
  luaL_argcheck(state, millis >= 0 && millis <= kMaxShown, 1, "expected milliseconds, 0 or more");
  const std::string text = short_duration(millis);
  lua_pushlstring(state, text.data(), text.size());
  return 1;
}

constexpr luaL_Reg kTime[] = {
    {"now_ms", l_time_now_ms},
    {"monotonic_ms", l_time_monotonic_ms},
    {"format_duration", l_time_format_duration},
    {nullptr, nullptr},
};

}  // namespace

void open_time(lua_State* state) {
  lua_newtable(state);
  luaL_register(state, nullptr, kTime);
  push_suspending(state, l_time_sleep, "sleep");
  lua_setfield(state, -2, "sleep");
}

}  // namespace gibbous::lua
