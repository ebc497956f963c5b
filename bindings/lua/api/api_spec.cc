// What the module `spec` (scripts/spec) gets in a runtime that loads specs; no other script sees
// it. The fakes and the clock are those of the runtime, so tools meet them without knowing.
#include <signal.h>

#include <cmath>
#include <lua.hpp>
#include <string>

#include "bindings/lua/api/api.h"
#include "bindings/lua/call/call.h"
#include "bindings/lua/call/context.h"
#include "bindings/lua/call/spec_world.h"
#include "bindings/lua/vm/value.h"
#include "runtime/runs/runs.h"
#include "runtime/wait/waits.h"

namespace gibbous::lua {
namespace {

constexpr double kMostMillis = 400.0 * 24 * 3600 * 1000;
constexpr int kMostExitCode = 255;
constexpr int kMostSignal = 64;
constexpr int kMostPort = 65535;
constexpr int kLeastStatus = 200;
constexpr int kMostStatus = 599;

SpecWorld& world_of(lua_State* state) {
  return *context_of(state).specs;
}

Run& fake_at(lua_State* state, int index) {
  const char* id = luaL_checkstring(state, index);
  Runs& runs = *context_of(state).runs;
  Run* run = runs.find(id);
  luaL_argcheck(state, run != nullptr && runs.is_fake(*run), index, "expected a fake run");
  return *run;
}

// [command, stubborn] -> [number of the fake]
int l_spec_fake(lua_State* state) {
  const char* command = luaL_checkstring(state, 1);
  luaL_argcheck(state, *command != '\0', 1, "expected a command");
  const bool stubborn = lua_toboolean(state, 2) != 0;
  SpecWorld& world = world_of(state);
  world.fakes.push_back({command, stubborn, {}});
  lua_pushinteger(state, static_cast<lua_Integer>(world.fakes.size()));
  return 1;
}

// [number of the fake] -> [ids of its runs, oldest first]
int l_spec_runs(lua_State* state) {
  const SpecWorld& world = world_of(state);
  const lua_Integer number = luaL_checkinteger(state, 1);
  const bool known = number >= 1 && number <= static_cast<lua_Integer>(world.fakes.size());
  luaL_argcheck(state, known, 1, "expected a fake of this spec");
  push_json(state, Json(world.fakes[static_cast<std::size_t>(number - 1)].runs));
  return 1;
}

// [run, stream, text]
int l_spec_print(lua_State* state) {
  Run& run = fake_at(state, 1);
  static const char* const kNames[] = {"stdout", "stderr", nullptr};
  const bool errors = luaL_checkoption(state, 2, "stdout", kNames) == 1;
  std::size_t size = 0;
  const char* text = luaL_checklstring(state, 3, &size);
  context_of(state).runs->print_fake(run, errors ? StreamId::kStderr : StreamId::kStdout,
                                     {text, size});
  return 0;
}

// [run, exit code, signal]
int l_spec_exit(lua_State* state) {
  Run& run = fake_at(state, 1);
  ExitStatus status;
  status.code = luaL_optint(state, 2, 0);
  status.signal = luaL_optint(state, 3, 0);
  luaL_argcheck(state, status.code >= 0 && status.code <= kMostExitCode, 2,
                "expected an exit code from 0 to 255");
  luaL_argcheck(state, status.signal >= 0 && status.signal <= kMostSignal, 3,
                "expected the number of a signal");
  context_of(state).runs->end_fake(run, status);
  return 0;
}

// [run, port, HTTP status]
int l_spec_listen(lua_State* state) {
  Run& run = fake_at(state, 1);
  const int port = luaL_checkint(state, 2);
  const int status = luaL_checkint(state, 3);
  luaL_argcheck(state, port >= 1 && port <= kMostPort, 2, "expected a port from 1 to 65535");
  luaL_argcheck(state, status >= kLeastStatus && status <= kMostStatus, 3,
                "expected an HTTP status from 200 to 599");
  context_of(state).waits->listen_fake(run, port, status);
  return 0;
}

// [answer] of the next question of a script; without one, the person declines
int l_spec_answer(lua_State* state) {
  lua_settop(state, 1);
  world_of(state).answers.push_back(to_json(state, 1));
  return 0;
}

// [run] -> [what was typed since]
int l_spec_typed(lua_State* state) {
  Run& run = fake_at(state, 1);
  const std::string typed = context_of(state).runs->take_typed(run);
  lua_pushlstring(state, typed.data(), typed.size());
  return 1;
}

int l_spec_stop_clock(lua_State* state) {
  world_of(state).clock.stop();
  return 0;
}

// [] -> [whether a script waits for another thread]
int l_spec_is_busy(lua_State* state) {
  lua_pushboolean(state, world_of(state).questions > 0 ? 1 : 0);
  return 1;
}

// [milliseconds]
int l_spec_advance(lua_State* state) {
  const double millis = luaL_checknumber(state, 1);
  luaL_argcheck(state, millis >= 0 && millis <= kMostMillis, 1, "expected milliseconds, 0 or more");
  constexpr double kNanosPerMilli = 1e6;
  world_of(state).clock.advance(Nanos{std::llround(millis * kNanosPerMilli)});
  world_of(state).moved();
  return 0;
}

// [] -> [events]
int l_spec_events(lua_State* state) {
  const Call* call = calling(state);
  if (call == nullptr) return luaL_error(state, "spec.events can be used only inside a spec");
  Json events = Json::array();
  for (const std::string& event : world_of(state).events(call->session())) {
    events.push_back(Json::parse(event, nullptr, false));
  }
  push_json(state, events);
  return 1;
}

// Before each spec: nothing of an earlier one is left.
int l_spec_reset(lua_State* state) {
  SpecWorld& world = world_of(state);
  world.clock.go();
  world.fakes.clear();
  world.answers.clear();
  Runs& runs = *context_of(state).runs;
  for (Run* run : runs.list()) {
    if (!run->ended()) runs.kill(*run, SIGKILL, std::nullopt, nullptr);
  }
  world.moved();
  return 0;
}

constexpr luaL_Reg kSpec[] = {
    {"fake", l_spec_fake},       {"runs", l_spec_runs},       {"print", l_spec_print},
    {"exit", l_spec_exit},       {"listen", l_spec_listen},   {"answer", l_spec_answer},
    {"typed", l_spec_typed},     {"is_busy", l_spec_is_busy}, {"stop_clock", l_spec_stop_clock},
    {"advance", l_spec_advance}, {"events", l_spec_events},   {"reset", l_spec_reset},
    {nullptr, nullptr},
};

}  // namespace

void open_spec(lua_State* state) {
  lua_newtable(state);
  luaL_register(state, nullptr, kSpec);
}

}  // namespace gibbous::lua
