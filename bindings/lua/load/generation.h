// Generation: one loaded set of scripts and policies with one State, immutable after load and
// replaced as a whole. Calls hold it by shared_ptr and finish on the one they began with; the
// policy of the newest generation judges every request. Loop thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bindings/lua/load/executor_reader.h"
#include "bindings/lua/load/host_tools.h"
#include "bindings/lua/load/offered.h"
#include "bindings/lua/policy/policy_program.h"
#include "bindings/lua/source/memory_files.h"
#include "bindings/lua/source/source_file.h"
#include "bindings/lua/vm/state.h"
#include "bindings/lua/vm/value.h"
#include "gibbous/status.h"
#include "runtime/output/error_patterns.h"

namespace gibbous::lua {

// The scripts and the policy that a layer of the configuration adds, among the files in memory.
struct LayerParts {
  std::string name;          // "managed", "project"
  std::string scripts_dir;   // "<project>/scripts"; "": none
  std::string policies_dir;  // "<project>/policies"; "": none
  bool only_rules = false;   // its policy has nothing but rules that ask or deny
};

// The layers as they are when a load begins.
struct LayerSet {
  Status status;  // why nothing may be loaded
  std::vector<LayerParts> parts;
  std::shared_ptr<const MemoryFiles> files;  // owns what it refers to
  std::vector<MonitoredFile> watched;
  std::vector<std::string> notes;  // for people and models
};

struct GenerationOptions {
  std::string scripts_dir;          // holds init.lua
  std::string policies_dir;         // holds init.lua
  std::string shipped_scripts_dir;  // where `require` looks next
  std::string shipped_policies_dir;
  std::vector<const MemoryFiles*> in_memory;  // files; they outlive the generation
  const CompiledTexts* compiled = nullptr;    // may be null; outlives the generation
  std::vector<std::string> toolsets;  // only these toolsets; when empty, all but the optional ones
  Json settings;                      // of toolsets, by name; null: none
  std::string shell_word = "shell";   // for kShellWord in the descriptions of tools
  std::string mode;
  MemoryLimits memory;
  Nanos load_budget{250'000'000};           // of the scripts
  Nanos policy_load_budget{5'000'000'000};  // of the policies, which contain far more text
  Nanos policy_budget{40'000'000};      // of a verdict, so that a turn of the loop ends in 50 ms
  std::vector<std::string> spec_files;  // for `gibbous test`: their specs are tools (scripts/spec)
  // Opens what the module `spec` needs; set where there are spec files.
  std::function<void(lua_State*)> open_spec;
  // The tools of the host, if it has any, and what pushes the function that calls one. They outlive
  // the generation.
  const HostTools* host_tools = nullptr;
  void (*push_host_run)(lua_State*) = nullptr;
  void (*push_host_pure)(lua_State*) = nullptr;  // the table `host` of policies
  bool only_policies = false;                    // for `policy check` and the like: no scripts
  // Reads the layers of the configuration, on the thread that loads; may be null.
  std::function<LayerSet()> layers;
  bool test_policies = true;     // examples and cases must pass
  bool lazy_policy = false;      // read shipped rules when the first call is judged
  const Clock* clock = nullptr;  // must be set; outlives the generation
  PolicyPlace place;             // where requests are judged
  // Opens the API in a new state, in a protected call; null: no API, for a policy alone.
  std::function<void(lua_State*)> open_api;
};

// What scripts/toolsets/environment.lua says of runs without a terminal.
struct RunVariables {
  std::map<std::string, std::string> without_terminal;
  std::set<std::string> need_terminal;  // an inherited value that names such a program is none
};

struct LoadFailure {
  std::vector<ScriptError> errors;  // every syntax error, or the first other one; never empty
  std::vector<MonitoredFile>
      files;            // the files read so far, to be watched, so that mending them is noticed
  bool policy = false;  // whether the policies failed, not the scripts
};

class GenerationLoader;

class Generation {
 public:
  // Reads all files, builds a new State, runs init.lua of scripts and policies, and validates the
  // result. A failed load leaves nothing behind. With broken policies and allow_broken_policy (a
  // first load), the generation denies everything and policy().error() says why. `before` is the
  // generation in force: where the policies are the same files byte for byte, they are not read and
  // tested again.
  static std::shared_ptr<Generation> load(const GenerationOptions& options, std::uint64_t id,
                                          bool allow_broken_policy, LoadFailure* failure,
                                          const Generation* before = nullptr);
  ~Generation();

  std::uint64_t id() const { return id_; }
  State& state() { return *state_; }
  const std::map<std::string, ToolDefinition>& tools() const { return offered_.tools; }
  const ToolDefinition* find(const std::string& name) const;
  const std::map<std::string, ResourceDefinition>& resources() const { return offered_.resources; }
  // Returns the resource with the URI, or the template that it fits, with the values of its
  // variables as arguments; null: there is none.
  const ResourceDefinition* find_resource(const std::string& uri, Json* arguments) const;
  // The function that starts a queued run; it takes the options of run.start.
  const LuaRef& start_queued_hook() const { return start_queued_; }
  const LuaRef& read_secret_hook() const { return read_secret_; }
  // Returns the function `on_NAME` of the watchers of init.lua, or null.
  const LuaRef* find_handler(const std::string& name) const;
  const std::map<std::string, PromptDefinition>& prompts() const { return offered_.prompts; }
  // By name; `host` is not among them.
  const std::map<std::string, ExecutorDefinition>& executors() const { return executors_; }
  // The presets of its watchers that find errors; never null.
  const std::shared_ptr<const ErrorPatterns>& error_patterns() const { return error_patterns_; }
  const RunVariables& run_variables() const { return run_variables_; }
  // Without their texts.
  const std::vector<SourceFile>& files() const { return files_; }
  // The files, and the paths that would have taken precedence.
  const std::vector<MonitoredFile>& watched() const { return watched_; }
  // What is to be said about the layers of the configuration.
  const std::vector<std::string>& notes() const { return layers_.notes; }
  PolicyProgram& policy() { return *policy_; }
  const PolicyProgram& policy() const { return *policy_; }

 private:
  Generation();
  friend class GenerationLoader;
  std::uint64_t id_ = 0;
  std::vector<SourceFile> files_;
  std::vector<MonitoredFile> watched_;
  LayerSet layers_;
  // Order matters: references are destroyed before their state.
  std::unique_ptr<State> state_;
  Offered offered_;
  std::map<std::string, ExecutorDefinition> executors_;
  std::shared_ptr<const ErrorPatterns> error_patterns_ = ErrorPatterns::shipped();
  RunVariables run_variables_;
  LuaRef start_queued_;
  LuaRef read_secret_;
  std::unique_ptr<PolicyProgram> policy_;
};

}  // namespace gibbous::lua
