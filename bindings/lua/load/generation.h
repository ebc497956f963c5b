// Generation: one loaded set of scripts and policies: one State, immutable after load, replaced
// whole. Calls hold it by shared_ptr and finish on the one they began with; policy is always asked
// of the newest. Loop thread only.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bindings/lua/load/executor_reader.h"
#include "bindings/lua/vm/state.h"
#include "bindings/lua/vm/value.h"
#include "gibbous/status.h"

namespace gibbous::lua {

class CommandPolicy;  // command_policy.h
class SchemaCheck;    // schema_check.h
struct PolicyCase;    // case_value.h
struct Judgement;     // judgement.h
struct Context;       // context.h

struct ToolDefinition {
  std::string name;
  std::string toolset;
  std::string title;
  std::string description;
  std::string permission;  // read, write, execute
  Json input_schema;
  Json output_schema;  // null when there is none
  Json annotations;    // as MCP has them: readOnlyHint, ...; all four set
  std::string file;    // the script that defines it: the namespace of its store
  std::shared_ptr<const SchemaCheck> input_check;
  std::shared_ptr<const SchemaCheck> output_check;  // null when there is none
  LuaRef run;
  bool takes_limits = false;  // gets the argument `limits` where the mode lets tools set them
  std::string command;        // the argument that is a command line for a shell; "": none
  std::string typed;  // the argument that is typed into a program, and not recorded; "": none
  std::string words;  // the argument that holds its words: then there is no shell; "": none
  Json settings;      // of its toolset, from the configuration; null: it takes none
  // The permission of a call by its argument `action`, where it is another one.
  std::map<std::string, std::string> actions;
};

struct Verdict {
  enum class Decision { kAllow, kAsk, kDeny } decision = Decision::kDeny;
  std::string id;      // of this decision, 8 characters; the engine gives it
  std::string reason;  // a sentence for a person
  std::string rule;    // an id for logs
  std::string file;
  int line = 0;
  Json limits;   // of a start: what the run gets, whatever was asked; null: as asked
  Json sandbox;  // of a start: what the run gets, a whole profile; null: none
  std::shared_ptr<const Judgement> judgement;  // of the commands of the effect; null: it has none
  std::string approved_command;  // what a person has approved just now, as approved_key(); "": none
};

// One file as it was read; the watcher compares it with what lies there.
struct SourceFile {
  std::string path;
  std::string text;
  std::string hash;
};

// What the file watcher compares with what lies there now.
struct WatchedFile {
  std::string path;
  std::string
      hash;  // of what was read; "" when there was no such file, and one would change the load
};

struct GenerationOptions {
  std::string scripts_dir;          // holds init.lua
  std::string policies_dir;         // holds init.lua
  std::string shipped_scripts_dir;  // where `require` looks next
  std::string shipped_policies_dir;
  std::vector<std::string> toolsets;  // only these; all but those on request when empty
  Json settings;                      // of toolsets, by name; null: none
  std::string mode;
  MemoryLimits memory;
  Nanos load_budget{250'000'000};           // of the scripts
  Nanos policy_load_budget{5'000'000'000};  // of the policies, which are far more text
  Nanos policy_budget{50'000'000};
  bool only_policies = false;  // for `policy check` and the like: no scripts
  bool test_policies = true;   // examples and cases must pass
  bool lazy_policy = false;    // shipped rules are read when the first call is judged
};

struct LoadFailure {
  std::vector<ScriptError> errors;  // every syntax error, or the first other one; never empty
  std::vector<WatchedFile>
      files;            // what was read so far: to be watched, so that mending them is seen
  bool policy = false;  // the policies failed, not the scripts
};

class GenerationLoader;

class Generation : public std::enable_shared_from_this<Generation> {
 public:
  // Reads all, builds a new State, runs init.lua of scripts and policies, validates. Nothing of a
  // failed load remains. With broken policies and allow_broken_policy (a first load), the
  // generation denies everything and policy_error() says why. `before` is the one in force: where
  // the policies are the same files to the byte, what was read and tested then need not be again.
  static std::shared_ptr<Generation> load(const GenerationOptions& options, std::uint64_t id,
                                          Context& context, bool allow_broken_policy,
                                          LoadFailure* failure, const Generation* before = nullptr);
  ~Generation();

  std::uint64_t id() const { return id_; }
  State& state() { return *state_; }
  const std::map<std::string, ToolDefinition>& tools() const { return tools_; }
  const ToolDefinition* find(const std::string& name) const;
  // What starts a run that was queued: a function that takes the options of run.start.
  const LuaRef& start_queued_hook() const { return start_queued_; }
  // The function `on_NAME` of the watchers of init.lua, or null.
  const LuaRef* find_handler(const std::string& name) const;
  // By name; `host` is none of them.
  const std::map<std::string, ExecutorDefinition>& executors() const { return executors_; }
  const std::vector<SourceFile>& files() const { return files_; }
  // The files, and the places where others would have been taken instead.
  const std::vector<WatchedFile>& watched() const { return watched_; }
  const std::string& policy_error() const { return policy_error_; }
  std::vector<std::string> modes() const { return modes_; }
  // The mode in force lets tool arguments set limits.
  bool tool_limits() const { return tool_limits_; }

  // Reads the rules, if that was put off. When that fails nothing is allowed any more.
  void load_lazy();
  // Asks the policy: first the rules about the commands of the effect, then its `decide`. A policy
  // that raises, runs out of time or answers something else denies. Where `effect.cleared` is true,
  // the call was allowed or approved, with the command line `effect.approved_command`.
  Verdict decide(Json effect);
  // The commands of an effect and what the rules say of them, with every step when `trace` is set;
  // null when it has no commands or the policy no rules.
  std::shared_ptr<const Judgement> judge(const Json& effect, bool trace);
  // Runs the examples of the rules and the cases. One "file:line: message" a line.
  std::string test();
  // What the policy says of one case, in its own place.
  Verdict decide_case(const PolicyCase& each);
  // Null: the policy is broken, or its rules are still to be read (lazy_policy).
  const CommandPolicy* commands() const { return lazy_ == nullptr ? commands_.get() : nullptr; }
  // Of the policy's files; "" when none is loaded.
  const std::string& policy_hash() const { return policy_hash_; }
  // How loose a mode is: an approval holds in its own mode and in looser ones.
  int mode_rank(const std::string& mode) const;
  // RE2 patterns of secrets, on top of those that the log knows.
  const std::vector<std::string>& redact_patterns() const { return redact_patterns_; }

 private:
  Generation();
  Verdict decide_in_time(const Json& effect);
  friend class GenerationLoader;
  std::uint64_t id_ = 0;
  Nanos policy_budget_{0};
  std::vector<SourceFile> files_;
  std::vector<WatchedFile> watched_;
  std::vector<std::string> modes_;
  bool tool_limits_ = false;
  std::string policy_error_;
  std::string policy_hash_;
  std::map<std::string, int> mode_ranks_;
  std::vector<std::string> redact_patterns_;
  Context* context_ = nullptr;
  // Order matters: references die before their state.
  std::unique_ptr<State> state_;
  std::map<std::string, ToolDefinition> tools_;
  std::map<std::string, LuaRef> handlers_;
  std::map<std::string, ExecutorDefinition> executors_;
  LuaRef start_queued_;
  LuaRef decide_;
  std::unique_ptr<CommandPolicy> commands_;
  std::unique_ptr<GenerationLoader> lazy_;  // what it takes to read the rules; null: they are read
};

}  // namespace gibbous::lua
