// PolicyProgram: the policy of one generation: its `decide` function, its rules about command
// lines, and its modes. Any error in it denies. The engine asks it about every call and every
// effect, `gibbous policy` about command lines. Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bindings/lua/check/sandbox_value.h"
#include "bindings/lua/policy/policy_request.h"
#include "bindings/lua/policy/read_policy.h"
#include "bindings/lua/policy/verdict.h"
#include "bindings/lua/vm/state.h"
#include "runtime/rules/rules.h"

namespace gibbous::lua {

class CommandPolicy;       // command_policy.h
struct PreparedJudgement;  // judgement.h
struct PolicyCase;         // case_value.h

// The place where requests are judged.
struct PolicyPlace {
  std::string workspace;  // of requests that name none; absolute
  std::string home;       // of the user; absolute
  PathVariables variables;
  bool exists =
      true;  // whether symbolic links of this machine count; false: an invented place, as in cases
};

// The result of policies/init.lua.
struct PolicyTables {
  LuaRef decide;
  LuaRef views;  // null: settings with secrets are hidden
  std::unique_ptr<CommandPolicy> commands;
  std::vector<std::string> modes;  // sorted
  std::map<std::string, int> mode_ranks;
  bool tool_limits = false;  // of the mode in force: tool arguments may set limits
  bool confines = false;     // of the mode in force: some commands run in a sandbox of its choice
  std::vector<std::string> redact_patterns;
  std::shared_ptr<const Json> profiles;  // of sandboxes, by name; null: none
};

struct PolicyGuard;  // policy_guard.h

class PolicyProgram {
 public:
  // `state` must outlive it.
  PolicyProgram(State& state, Nanos budget, PolicyPlace place);
  ~PolicyProgram();

  // --- Loading (load/generation_loader.h) ---
  PolicyTables& tables() { return tables_; }
  // Adds the policy of a layer, which judges every request, too.
  void add_guard(PolicyGuard guard);
  // Those of the guard that was added last.
  // There must be one.
  const PolicyTables& last_guard_tables() const;
  State& state() { return state_; }
  // From now on, requests are judged with these places, too: what this process has learnt.
  void set_variable(const std::string& name, std::vector<std::string> places) {
    place_.variables[name] = std::move(places);
  }
  // Defers reading the rules until the first request is judged: `load` reads them, or returns the
  // error.
  using LoadRules = std::function<bool(std::optional<ReadPolicy> known, ScriptError*)>;
  void load_later(LoadRules load) { load_rules_ = std::move(load); }
  bool is_unread() const { return static_cast<bool>(load_rules_); }
  // Marks the policy as broken: it allows nothing from now on, and error() says why.
  void fail(std::string error);
  void set_hash(std::string hash) { hash_ = std::move(hash); }
  // The same of the policy without its guards.
  void set_own_hash(std::string hash) { own_hash_ = std::move(hash); }
  const std::string& own_hash() const { return own_hash_; }

  // Prepares what the first request would wait for, such as the place's path classes. The rules
  // must have been read.
  void warm();
  // Reads the rules if that was deferred. When that fails, nothing is allowed any more. `known`:
  // what another generation has read of the same files (own_hash()), instead.
  void load_lazy(std::optional<ReadPolicy> known = std::nullopt);
  // Applies the rules to the commands of the request, then asks `decide`. A policy that raises,
  // runs out of time or returns anything invalid denies.
  Verdict decide(const PolicyRequest& request);
  // What a sandboxed run may see of a file of settings.
  struct View {
    std::string text;  // of the file
    bool secret = false;
    std::optional<std::string> shown;  // nothing: none of it
  };
  // `redact` has the last word: what it finds in a view hides the file. The result lives until the
  // next call.
  using Redact = std::function<std::string(std::string_view)>;
  const View& view(const std::string& path, std::string text, const Redact& redact);
  // Returns a function for any thread that makes PolicyRequest::prepared of a long command line;
  // null when there is none, or its rules are still unread. Its copy of the policy is checked by
  // judge(): another one begins anew.
  std::function<std::shared_ptr<PreparedJudgement>()> judge_beside(const PolicyRequest& request);
  // Returns the commands of a request and what the rules say about them, with every step when
  // `trace` is set; null when it has no commands or the policy no rules.
  std::shared_ptr<const Judgement> judge(const PolicyRequest& request, bool trace);
  // Runs the examples of the rules and the cases of its tables, or of those of a guard; returns one
  // "file:line: message" for each failure. `on_case` gets each case's verdict, in the case's own
  // place; may be null.
  std::string test(const PolicyTables& tables,
                   const std::function<void(const Verdict&)>& on_case = nullptr);
  // Calls the test functions of rules for examples.
  rules::TestFunction example_test(const PolicyTables& tables);
  const PathVariables& variables() const { return place_.variables; }

  // Returns null when the policy is broken, or its rules are still unread.
  const CommandPolicy* commands() const;
  const std::string& error() const { return error_; }
  // The hash of the policy's files; "" when none is loaded.
  const std::string& hash() const { return hash_; }
  const std::vector<std::string>& modes() const { return tables_.modes; }
  // Returns how permissive a mode is: an approval holds in its own mode and in more permissive
  // ones.
  int mode_rank(const std::string& mode) const;
  bool tool_limits() const { return tables_.tool_limits; }
  bool confines() const { return tables_.confines; }
  // RE2 patterns of secrets, in addition to the built-in ones.
  const std::vector<std::string>& redact_patterns() const { return tables_.redact_patterns; }

 private:
  std::shared_ptr<const Judgement> judge_at(const PolicyTables& tables,
                                            const PolicyRequest& request, const PolicyPlace& place,
                                            bool trace);
  // The verdict of one policy alone.
  Verdict decide_at(const PolicyTables& tables, const PolicyRequest& request,
                    const PolicyPlace& place);
  Verdict decide_case(const PolicyTables& tables, const PolicyCase& each);
  std::optional<std::string> make_view(const std::string& path, const std::string& text);

  State& state_;
  Nanos budget_;
  PolicyPlace place_;
  PolicyTables tables_;
  std::vector<PolicyGuard> guards_;
  std::string error_;
  std::string hash_;
  std::string own_hash_;
  LoadRules load_rules_;               // null: they are read
  std::map<std::string, View> views_;  // by path; the last ones
};

}  // namespace gibbous::lua
