// Shared by the tests of policy tables: reads the table that a script returns.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/lua/policy/case_value.h"
#include "bindings/lua/policy/knowledge_value.h"
#include "bindings/lua/policy/rule_value.h"
#include "tests/bindings/lua/vm/state_fixture.h"

namespace gibbous::lua::test {

inline constexpr const char* kPolicyFile = "/policies/rules.lua";

// Each function reads the result of one script; the faults are those of the last. References to
// functions are destroyed before the state.
struct PolicyTables {
  std::unique_ptr<State> state = make_state();
  std::string faults;
  ScriptError error;  // the raised error
  command::Knowledge knowledge;
  RuleTables rules;
  std::vector<PolicyCase> cases;

  using Read = std::function<bool(lua_State*, Faults*)>;
  bool read(const std::string& script, const Read& read, Nanos budget = kPlenty) {
    const SourceIndex sources({{kPolicyFile, script, ""}});
    Faults found(&sources, [](lua_State*, int) { return kPolicyFile; });
    BudgetLimits limits;
    limits.total = budget;
    error = {};
    bool good = false;
    const bool ran = state->protect(
        limits,
        [&](lua_State* lua) {
          if (!load_chunk(lua, script, kPolicyFile)) lua_error(lua);
          lua_call(lua, 0, 1);
          const int top = lua_gettop(lua);
          good = read(lua, &found);
          REQUIRE(lua_gettop(lua) == top);
        },
        &error);
    faults = found.text();
    if (ran) CHECK(good == found.none());
    return ran && good;
  }

  bool read_rules(const std::string& script, Nanos budget = kPlenty) {
    rules = {};
    return read(
        script,
        [this](lua_State* lua, Faults* found) {
          return lua::read_rules(lua, -1, knowledge, &rules, found);
        },
        budget);
  }
  bool read_knowledge(const std::string& script, Nanos budget = kPlenty) {
    knowledge = {};
    return read(
        script,
        [this](lua_State* lua, Faults* found) {
          return lua::read_knowledge(lua, -1, &knowledge, found);
        },
        budget);
  }
  bool read_cases(const std::string& script, Nanos budget = kPlenty) {
    cases.clear();
    return read(
        script,
        [this](lua_State* lua, Faults* found) { return lua::read_cases(lua, -1, &cases, found); },
        budget);
  }
  // Returns the faults of one rule with these fields and the required ones.
  std::string rule_faults(const std::string& fields) {
    read_rules("return { { id = 'a.b', decision = 'allow', match = { 'x' }, " + fields + " } }");
    return error.message + faults;
  }
  // Returns the faults of knowledge with these tables.
  std::string program_faults(const std::string& fields) {
    read_knowledge("return { paths = {}, " + ("programs = { tar = { " + fields + " } } }"));
    return error.message + faults;
  }
};

inline std::vector<std::string> texts_of(const std::vector<rules::Pattern>& patterns) {
  std::vector<std::string> texts;
  for (const rules::Pattern& pattern : patterns) texts.push_back(pattern.text);
  return texts;
}

}  // namespace gibbous::lua::test
