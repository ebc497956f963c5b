// Runs every script of this folder in a small state, as a protected call and as a sliced task. Each
// says on its `-- expect:` line how it must end: "ok", or the beginning of "code: message", or
// several with " | ". It must end in bounded time and leave the state as usable as before.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <lua.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "bindings/lua/vm/state.h"
#include "tests/bindings/lua/vm/state_fixture.h"
#include "tests/support/catch.h"
#include "tests/support/source.h"

namespace gibbous::lua {
namespace {

using test::make_state;
using test::run;

// For scripts that would run forever; the others end by themselves, even on a slow machine.
constexpr Nanos kBudget = std::chrono::milliseconds(100);
constexpr Nanos kPlenty = std::chrono::minutes(1);
constexpr Nanos kSlice = std::chrono::milliseconds(2);
// The time beyond the budget: one C function, times a busy machine and sanitizers.
constexpr std::chrono::seconds kBounded{60};

struct HostileScript {
  std::string name;
  std::string text;
  std::vector<std::string> expected;
  Nanos budget;
};

// Returns the rest of the line after `mark`, or "".
std::string header(const std::string& text, const std::string& mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + mark.size();
  return text.substr(begin, text.find('\n', begin) - begin);
}

std::vector<std::string> split(std::string text, const std::string& separator) {
  std::vector<std::string> parts;
  for (std::size_t at = text.find(separator); at != std::string::npos; at = text.find(separator)) {
    parts.push_back(text.substr(0, at));
    text.erase(0, at + separator.size());
  }
  parts.push_back(text);
  return parts;
}

std::vector<HostileScript> load_scripts() {
  std::vector<HostileScript> scripts;
  for (const auto& file :
       std::filesystem::directory_iterator(testing::source_path("tests/hostile"))) {
    if (file.path().extension() != ".lua") continue;
    std::ostringstream text;
    text << std::ifstream(file.path()).rdbuf();
    HostileScript script{file.path().filename().string(), text.str(), {}, kPlenty};
    script.expected = split(header(script.text, "-- expect: "), " | ");
    for (const std::string& one : script.expected) {
      if (one.rfind("budget_exceeded", 0) == 0) script.budget = kBudget;
    }
    scripts.push_back(std::move(script));
  }
  std::sort(scripts.begin(), scripts.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return scripts;
}

std::string outcome(const ScriptError& error) {
  return error.message.empty() ? "ok" : error.code + ": " + error.message;
}

void check_outcome(const HostileScript& script, const ScriptError& error) {
  const std::string was = outcome(error);
  INFO(script.name << " was <" << was << "> at " << error.file << ":" << error.line);
  CHECK(std::any_of(script.expected.begin(), script.expected.end(), [&](const std::string& one) {
    return !one.empty() && was.compare(0, one.size(), one) == 0;
  }));
  if (!error.message.empty() && !error.file.empty()) CHECK(error.file == script.name);
  if (error.code == "budget_exceeded") CHECK(error.line > 0);
}

// Checks that the host can still use the state as before the script.
void check_usable(State& state, const std::string& name) {
  INFO("after " << name);
  CHECK(lua_gettop(state.main()) == 0);
  CHECK(lua_gethook(state.main()) == nullptr);
  CHECK(state.memory().enforced());
  const ScriptError error = run(state,
                                "local t = {}\n"
                                "for i = 1, 1000 do t[i] = ('%d'):format(i) end\n"
                                "local s = ('a b'):gsub('%w', '%0%0')\n"
                                "return s:upper():find('AA BB', 1)",
                                "usable.lua");
  CHECK(outcome(error) == "ok");
}

ScriptError run_as_task(State& state, const HostileScript& script) {
  ScriptError error;
  LuaRef keep;
  lua_State* task = test::new_task(state, script.text, script.name, &keep, &error);
  if (task == nullptr) return error;
  Nanos left = script.budget;
  int status = LUA_YIELD;
  while (status == LUA_YIELD) {
    BudgetLimits limits;
    limits.total = std::max(left, Nanos{1});
    limits.granted = script.budget;
    limits.slice = kSlice;
    limits.root = task;
    state.budget().arm(state.main(), limits);
    status = lua_resume(task, 0);
    left -= state.budget().disarm(state.main());
    const bool sliced = state.budget().take_sliced();
    REQUIRE((status != LUA_YIELD || sliced));
  }
  if (status != 0) error = state.resume_error(task, status);
  return error;
}

TEST_CASE("every hostile script ends as expected, in bounded time, and the state is usable") {
  const std::vector<HostileScript> scripts = load_scripts();
  REQUIRE(scripts.size() > 80);
  for (const HostileScript& script : scripts) {
    // Scripts may break the globals of the state that they run in: each has its own, as generations
    // do.
    auto state = make_state();
    const auto begin = std::chrono::steady_clock::now();
    check_outcome(script, run(*state, script.text, script.name, script.budget));
    CHECK(std::chrono::steady_clock::now() - begin < kBounded);
    if (script.name.find("escape_global_table") == std::string::npos) {
      check_usable(*state, script.name);
    }
  }
}

TEST_CASE("every hostile script ends the same way as a task that is sliced") {
  for (const HostileScript& script : load_scripts()) {
    auto state = make_state();
    const auto begin = std::chrono::steady_clock::now();
    check_outcome(script, run_as_task(*state, script));
    CHECK(std::chrono::steady_clock::now() - begin < kBounded);
    if (script.name.find("escape_global_table") == std::string::npos) {
      check_usable(*state, script.name);
    }
  }
}

TEST_CASE("hostile scripts one after the other in one state do not add up") {
  auto state = make_state();
  for (const HostileScript& script : load_scripts()) {
    if (script.name.rfind("escape_", 0) == 0) continue;  // these change globals on purpose
    check_outcome(script, run(*state, script.text, script.name, script.budget));
    check_usable(*state, script.name);
  }
}

}  // namespace
}  // namespace gibbous::lua
