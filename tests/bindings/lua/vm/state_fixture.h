// Shared by the tests of the Lua state: a state of a known size, and functions that run scripts in
// it.
#pragma once

#include <chrono>
#include <lua.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "bindings/lua/api/api.h"
#include "bindings/lua/vm/state.h"
#include "tests/support/catch.h"
#include "tests/support/ticking_clock.h"

namespace gibbous::lua::test {

inline constexpr std::size_t kMemoryBytes = std::size_t{16} << 20;
inline constexpr std::size_t kSingleBytes = std::size_t{4} << 20;
inline constexpr const char* kChunk = "test.lua";
inline constexpr std::chrono::seconds kPlenty{120};

using gibbous::testing::TickingClock;

// With the table `json`, because hostile scripts try it too.
inline std::unique_ptr<State> make_state(const Clock* clock = nullptr) {
  auto state = State::create({{kMemoryBytes, kSingleBytes}, clock});
  REQUIRE(state.ok());
  ScriptError error;
  REQUIRE(state.value()->protect(
      {},
      [](lua_State* lua) {
        open_json(lua);
        lua_setglobal(lua, "json");
      },
      &error));
  return std::move(state.value());
}

// Runs a script; the error is empty if it ran to its end.
inline ScriptError run(State& state, std::string_view text, const std::string& path = kChunk,
                       Nanos total = kPlenty, int instructions = 1000) {
  ScriptError error;
  BudgetLimits limits;
  limits.total = total;
  limits.instructions = instructions;
  state.protect(
      limits,
      [&](lua_State* lua) {
        if (!load_chunk(lua, text, path)) lua_error(lua);
        lua_call(lua, 0, 0);
      },
      &error);
  return error;
}

// Runs a script that returns a string.
inline std::string evaluate(State& state, std::string_view text) {
  std::string result;
  ScriptError error;
  BudgetLimits limits;
  limits.total = kPlenty;
  const bool ok = state.protect(
      limits,
      [&](lua_State* lua) {
        if (!load_chunk(lua, text, kChunk)) lua_error(lua);
        lua_call(lua, 0, 1);
        std::size_t size = 0;
        const char* bytes = lua_tolstring(lua, -1, &size);
        if (bytes != nullptr) result.assign(bytes, size);
      },
      &error);
  return ok ? result : "error: " + error.text();
}

// Returns a coroutine that `keep` holds, ready to run `text`; null with the error if it does not
// compile.
inline lua_State* new_task(State& state, const std::string& text, const std::string& name,
                           LuaRef* keep, ScriptError* error) {
  lua_State* task = nullptr;
  const bool loaded = state.protect(
      {},
      [&](lua_State* lua) {
        task = lua_newthread(lua);
        *keep = LuaRef::take(lua);
        if (!load_chunk(task, text, name)) {
          lua_xmove(task, lua, 1);
          lua_error(lua);
        }
      },
      error);
  return loaded ? task : nullptr;
}

}  // namespace gibbous::lua::test
