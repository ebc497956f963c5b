// PolicyProgram: the policy of one generation: its `decide` function, its rules about command
// lines, its modes. Whatever goes wrong in it denies. The engine asks it for every call and every
// effect, `gibbous policy` for command lines. Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bindings/lua/check/sandbox_value.h"
#include "bindings/lua/policy/policy_request.h"
#include "bindings/lua/policy/verdict.h"
#include "bindings/lua/vm/state.h"

namespace gibbous::lua {

class CommandPolicy;  // command_policy.h
struct PolicyCase;    // case_value.h

// Where requests are judged.
struct PolicyPlace {
  std::string workspace;  // of requests that name none; absolute
  std::string home;       // of the user; absolute
  PathVariables variables;
  bool exists = true;  // symbolic links of this machine count; false: a made-up place, as of cases
};

// What policies/init.lua returned.
struct PolicyTables {
  LuaRef decide;
  std::unique_ptr<CommandPolicy> commands;
  std::vector<std::string> modes;  // sorted
  std::map<std::string, int> mode_ranks;
  bool tool_limits = false;  // of the mode in force: tool arguments may set limits
  std::vector<std::string> redact_patterns;
};

class PolicyProgram {
 public:
  // `state` must outlive it.
  PolicyProgram(State& state, Nanos budget, PolicyPlace place);
  ~PolicyProgram();

  // --- Loading (load/policy_loader.h) ---
  PolicyTables& tables() { return tables_; }
  State& state() { return state_; }
  // The rules are read when the first request is judged: `load` does it, or gives the error.
  void load_later(std::function<bool(ScriptError*)> load) { load_rules_ = std::move(load); }
  // The policy is broken: nothing is allowed from now on, and error() says why.
  void fail(std::string error);
  void set_hash(std::string hash) { hash_ = std::move(hash); }

  // Reads the rules if that was put off. When that fails nothing is allowed any more.
  void load_lazy();
  // Asks the rules about the commands of the request, then `decide`. A policy that raises, runs out
  // of time or answers something else denies.
  Verdict decide(const PolicyRequest& request);
  // The commands of a request and what the rules say of them, with every step when `trace` is set;
  // null when it has no commands or the policy no rules.
  std::shared_ptr<const Judgement> judge(const PolicyRequest& request, bool trace);
  // Runs the examples of the rules and the cases: one "file:line: message" a line.
  std::string test();
  // The verdict on one case, in the case's own place.
  Verdict decide_case(const PolicyCase& each);

  // Null: the policy is broken, or its rules are still to be read.
  const CommandPolicy* commands() const;
  const std::string& error() const { return error_; }
  // Of the policy's files; "" when none is loaded.
  const std::string& hash() const { return hash_; }
  const std::vector<std::string>& modes() const { return tables_.modes; }
  // How loose a mode is: an approval holds in its own mode and in looser ones.
  int mode_rank(const std::string& mode) const;
  bool tool_limits() const { return tables_.tool_limits; }
  // RE2 patterns of secrets, besides those that the log knows.
  const std::vector<std::string>& redact_patterns() const { return tables_.redact_patterns; }

 private:
  std::shared_ptr<const Judgement> judge_at(const PolicyRequest& request, const PolicyPlace& place,
                                            bool trace);
  Verdict decide_at(const PolicyRequest& request, const PolicyPlace& place);
  Verdict decide_in_time(const Json& fields);

  State& state_;
  Nanos budget_;
  PolicyPlace place_;
  PolicyTables tables_;
  std::string error_;
  std::string hash_;
  std::function<bool(ScriptError*)> load_rules_;  // null: they are read
};

}  // namespace gibbous::lua
