// CommandPolicy: the part of a policy about command lines: rules, knowledge about programs and
// paths, and cases. A PolicyProgram has one; `policy check`, `explain` and `test` use the same.
// Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings/lua/policy/case_value.h"
#include "bindings/lua/policy/judgement.h"
#include "bindings/lua/policy/knowledge_value.h"
#include "bindings/lua/policy/read_policy.h"
#include "bindings/lua/policy/rule_value.h"
#include "bindings/lua/source/faults.h"
#include "bindings/lua/vm/state.h"
#include "runtime/command/analyse.h"
#include "runtime/command/facts.h"
#include "runtime/paths/answers.h"
#include "runtime/rules/rules.h"

namespace gibbous::lua {

// A command to judge, and where it would run.
struct CommandRequest {
  std::optional<std::string> line;         // for `shell`
  std::vector<std::string> argv;           // instead of `line`
  std::string shell;                       // name or path; "": not known, and not of this machine
  command::Dialects dialects = 0;          // what it may read; 0: what `shell` says
  std::string workspace;                   // absolute
  std::string cwd;                         // absolute; "" is the workspace
  std::string home;                        // absolute
  std::map<std::string, std::string> env;  // added to the inherited ones
  std::vector<std::string> logs;           // files that output is copied into
  bool resolve = true;                     // whether symlinks on this machine count
  std::shared_ptr<paths::Answers> paths;   // where they lead; null: the caller waits for the disk
  std::size_t typed_bytes = 0;             // this many bytes of `line` have run already
};

// What bounds a function of the policy while it judges.
inline BudgetLimits judging_limits(Nanos budget) {
  constexpr int kInstructions = 100;  // between two looks at the clock: a policy has little time
  return {.total = budget, .instructions = kInstructions, .processor = true};
}

struct CommandPolicySource {
  // True for a policy that was tested when Gibbous was built: its examples and cases are not read,
  // and patterns are compiled when needed.
  bool tested = false;
  // Where the policies that ship are, below a policy of one's own; "": there is none.
  std::string shipped_directory;
};

class CommandPolicy {
 public:
  // In a protected call, with the result of policies/init.lua at `index`; make the object outside
  // it. Returns false with faults, and it must not be used then. A policy without rules gives an
  // empty one, which has nothing to say.
  bool read(lua_State* state, int index, const CommandPolicySource& source, Faults* faults);
  // Brings the test function with this index, and perhaps others: in a protected call, raises.
  using BringTest = std::function<void(lua_State*, std::size_t test, std::vector<LuaRef>* tests)>;
  // Instead of read(): takes what has been read of the same files before. Its test functions are
  // brought when a command meets their rules, under `limits`.
  void adopt(ReadPolicy read, BringTest bring, const BudgetLimits& limits);
  // Brings all of them. Returns false with the error.
  bool bring_tests(State& state, ScriptError* error) const;
  ReadPolicy read_policy() const { return {knowledge_, rules_, origins_}; }
  // Notes which test functions are in a list of rules that this module returned, so that those who
  // adopt what was read find them without reading all rules.
  // [list] -> [list]
  void find_tests(lua_State* state, const std::string& module);

  bool empty() const { return rules_ == nullptr; }
  const rules::RuleSet& rules() const { return *rules_; }
  const std::shared_ptr<const rules::RuleSet>& shared_rules() const { return rules_; }
  const std::vector<PolicyCase>& cases() const { return cases_; }

  // Makes the path classes of this place, which the first analysis there would do.
  void warm(const std::string& workspace, const std::string& home, const PathVariables& variables);
  command::Facts analyse(const CommandRequest& request, const PathVariables& variables);
  // Returns a function for any thread that analyses the request and judges it by the rules, unless
  // one of them asks a script. This object need not outlive it.
  std::function<std::shared_ptr<PreparedJudgement>()> judge_beside(CommandRequest request,
                                                                   const PathVariables& variables);
  // Uses only the place of the request.
  command::Facts analyse(const command::TypedInput& typed, const CommandRequest& request,
                         const PathVariables& variables);
  // The programs of a run that take what is typed: those that read code, and those with commands of
  // their own. `facts`: of the run's command, or of a program that owns its terminal.
  void add_readers(const command::Facts& facts, std::vector<command::InputReader>* readers) const;
  // Each test function runs under `budget`. `steps` may be null.
  rules::Outcome judge(State& state, Nanos budget, const command::Facts& facts,
                       const std::string& mode, std::vector<rules::Step>* steps = nullptr) const;
  // The path classes of the place where examples are judged.
  std::shared_ptr<const command::PathMap> example_map(const PathVariables& variables);
  // `same_facts`: only one line is judged, so that one table serves all test functions of a
  // command, which are pure.
  rules::TestFunction test_function(State& state, Nanos budget, std::string mode,
                                    bool same_facts = false) const;

 private:
  std::string unknown_of_test(State& state, const BudgetLimits& limits, const rules::Rule& rule,
                              const command::Facts& facts, int command,
                              const std::string& mode) const;
  command::Place place_of(const CommandRequest& request, const PathVariables& variables);
  Status bring_test(State& state, std::size_t test) const;

  std::shared_ptr<const command::Knowledge> knowledge_ = std::make_shared<command::Knowledge>();
  std::shared_ptr<const rules::RuleSet> rules_;
  mutable std::vector<LuaRef> tests_;  // empty ones have not been brought
  std::vector<TestOrigin> origins_;
  BringTest bring_;
  BudgetLimits bring_limits_;
  std::vector<PolicyCase> cases_;
  LastPathMap map_;       // for the runtime's place
  LastPathMap made_map_;  // for the places of cases
};

}  // namespace gibbous::lua
