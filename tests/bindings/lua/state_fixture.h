// What the tests of the Lua state share: a state of a known size, and running a script in it.
#pragma once

#include <chrono>
#include <lua.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "bindings/lua/api.h"
#include "bindings/lua/state.h"
#include "runtime/base/clock.h"
#include "tests/support/catch.h"

namespace gibbous::lua::test {

inline constexpr std::size_t kMemoryBytes = std::size_t{16} << 20;
inline constexpr std::size_t kSingleBytes = std::size_t{4} << 20;
inline constexpr const char* kChunk = "test.lua";
inline constexpr std::chrono::seconds kPlenty{120};

// A clock that moves by a step at each look: time is the number of looks, so a budget ends at the
// same place on every machine.
class TickingClock final : public Clock {
 public:
  explicit TickingClock(Nanos step) : step_(step) {}
  Nanos now() const override { return now_ += step_; }
  Millis wall() const override { return Millis{0}; }

 private:
  Nanos step_;
  mutable Nanos now_{0};
};

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

// Runs a script; the error is empty when it ran to its end.
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

}  // namespace gibbous::lua::test
