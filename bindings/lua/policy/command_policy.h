// CommandPolicy: the part of a policy that speaks of command lines: rules, what is known of
// programs and paths, and cases. A PolicyProgram has one; `policy check`, `explain` and
// `test` ask the same. Loop thread only.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bindings/lua/policy/case_value.h"
#include "bindings/lua/policy/knowledge_value.h"
#include "bindings/lua/policy/rule_value.h"
#include "bindings/lua/source/faults.h"
#include "bindings/lua/vm/state.h"
#include "runtime/command/facts.h"
#include "runtime/rules/rules.h"

namespace gibbous::lua {

// What is to be judged, and where it would run.
struct CommandRequest {
  std::optional<std::string> line;         // for a shell
  std::vector<std::string> argv;           // instead of `line`
  std::string workspace;                   // absolute
  std::string cwd;                         // absolute; "" is the workspace
  std::string home;                        // absolute
  std::map<std::string, std::string> env;  // set on top
  std::vector<std::string> logs;           // files that output is copied into
  bool resolve = true;                     // symlinks on this machine count
  std::size_t typed_bytes = 0;             // so many of `line` have run already
};

class CommandPolicy;

struct CommandPolicySource {
  const std::vector<std::string>& modes;
  // Was read from the very same files, or is null: what it knows is shared.
  const CommandPolicy* same = nullptr;
  // Was tested when Gibbous was built: cases are not read, patterns compiled when they are needed.
  bool tested = false;
};

class CommandPolicy {
 public:
  // In a protected call, with what policies/init.lua returned at `index`; the object itself is made
  // outside of it. False: the faults say why, and it is of no use. A policy without rules gives one
  // that has nothing to say.
  bool read(lua_State* state, int index, const CommandPolicySource& source, Faults* faults);

  bool empty() const { return rules_ == nullptr; }
  const rules::RuleSet& rules() const { return *rules_; }
  const std::shared_ptr<const rules::RuleSet>& shared_rules() const { return rules_; }
  const std::vector<PolicyCase>& cases() const { return cases_; }

  command::Facts analyse(const CommandRequest& request, const PathVariables& variables);
  // Test functions run under `budget`, each. `steps` may be null.
  rules::Outcome judge(State& state, Nanos budget, const command::Facts& facts,
                       const std::string& mode, std::vector<rules::Step>* steps = nullptr) const;
  // The path classes where examples are judged.
  std::shared_ptr<const command::PathMap> example_map(const PathVariables& variables);
  // `same_facts`: it is asked about one line only, so that one table serves all tests of a command,
  // which are pure.
  rules::TestFunction test_function(State& state, Nanos budget, std::string mode,
                                    bool same_facts = false) const;

 private:
  std::shared_ptr<command::Knowledge> knowledge_ = std::make_shared<command::Knowledge>();
  std::shared_ptr<const rules::RuleSet> rules_;
  RuleTables tables_;  // its rules are moved into rules_
  std::vector<PolicyCase> cases_;
  std::unique_ptr<PathMaps> maps_;       // of the runtime's place
  std::unique_ptr<PathMaps> made_maps_;  // of the places of cases
};

}  // namespace gibbous::lua
