// GenerationLoader: one attempt to make a Generation from the current files. With lazy_policy the
// generation keeps it until the rules are read. Private to generation.cc and generation_loader.cc.
// Loop thread only.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bindings/lua/load/generation.h"
#include "bindings/lua/load/loader.h"
#include "bindings/lua/load/tool_reader.h"
#include "bindings/lua/policy/rule_value.h"
#include "bindings/lua/source/snapshot.h"

namespace gibbous::lua {

class GenerationLoader : public std::enable_shared_from_this<GenerationLoader> {
 public:
  GenerationLoader(const GenerationOptions& options, const Generation* before, LayerSet layers);

  // Returns null with the failure filled in (all but files).
  std::shared_ptr<Generation> load(std::uint64_t id, bool allow_broken_policy,
                                   LoadFailure* failure);
  const Snapshot& snapshot() const { return snapshot_; }
  std::vector<MonitoredFile> watched() const;
  // The rules are still unread: load_lazy() reads them.
  bool is_lazy() const { return is_lazy_; }
  // Reads the rules of the generation that load() returned, or takes what another load has read of
  // the same files; null: nothing. Returns false with the error.
  bool load_lazy(PolicyProgram& policy, std::optional<ReadPolicy> known, ScriptError* error);
  // What was made is not used, or there is nothing: lets go of everything in its state.
  void give_up();

 private:
  void add_limits_arguments();
  bool prepare(LoadFailure* failure);
  // Returns the processor time left since started_.
  BudgetLimits budget(Nanos granted) const;
  BudgetLimits policy_limits();
  void add_specs(lua_State* state, Loader& loader, ToolReaderOptions* options);
  void add_host_tools(lua_State* state, ToolReaderOptions* options);
  bool load_scripts(Loader& loader, const std::vector<std::unique_ptr<Loader>>& layers,
                    LoadFailure* failure);
  bool load_presets(lua_State* state, Loader& loader,
                    const std::function<std::string(lua_State*, int)>& file_of_value,
                    ScriptError* error);
  // The profiles of sandboxes; [root] -> [root].
  static void read_profiles(lua_State* state, Loader& loader, PolicyTables* tables);
  // The table of variables; [root] -> [root].
  bool load_variables(lua_State* state, Loader& loader, ScriptError* error);
  bool load_policies(Loader& loader, ScriptError* error);
  // In generation_layers.cc.
  bool add_layer_toolsets(lua_State* state, const std::vector<std::unique_ptr<Loader>>& layers,
                          ScriptError* error);
  std::vector<ScriptError> compile_layers(std::vector<std::unique_ptr<Loader>>* loaders);
  void load_guards(std::vector<ScriptError>* errors);
  bool load_guard(const LayerParts& layer, Loader& loader, std::vector<ScriptError>* errors);
  bool read_guard(lua_State* state, const LayerParts& layer, Loader& loader, PolicyTables* tables,
                  ScriptError* error);
  // In a protected call, with the result of policies/init.lua on top.
  bool read_policies(lua_State* state, Loader& loader, ScriptError* error);
  bool read_commands(lua_State* state, Loader& loader, PolicyProgram& into);
  bool waits_for_commands() const;
  void add_failures(const std::string& failures, std::vector<ScriptError>* errors);
  std::vector<SourceFile> sources_if(const std::function<bool(const std::string&)>& fits) const;
  std::string policy_hash() const;
  bool is_policy_file(const std::string& path) const;
  static bool is_below(const std::string& path, const std::string& directory);
  bool is_below_policies(const std::string& path) const;
  bool is_tested() const;
  void distrust(std::vector<ScriptError>* errors) const;

  // In generation_tests.cc.
  void find_tests(lua_State* state, Loader& loader, CommandPolicy& commands);
  void bring_own_tests(std::vector<ScriptError>* errors);
  void adopt(CommandPolicy& commands, ReadPolicy read);
  void bring_test(lua_State* state, const TestOrigin& origin, LuaRef* test);
  void bring_all_tests(lua_State* state, const command::Knowledge& knowledge,
                       std::vector<LuaRef>* tests);

  const GenerationOptions options_;  // tests of rules are brought when the caller's are gone
  const Generation* before_;         // may be null
  LayerSet layers_;
  bool same_policies_ = false;  // as `before_` has them
  Snapshot snapshot_;
  Nanos started_{0};
  std::shared_ptr<Generation> made_;
  LuaRef policy_environment_;
  std::unique_ptr<Loader> policies_;
  LuaRef root_;  // the result of policies/init.lua, while its rules or their tests are unread
  RuleTables brought_;
  bool is_lazy_ = false;
  bool is_adopted_ = false;                 // the rules were read by another load
  std::optional<ReadPolicy> known_;         // read by another load of the same files
  std::vector<ScriptError> policy_faults_;  // of the last load_policies
};

// [table] -> [a copy with the same metatable]
void copy_table(lua_State* state);
// [environment] -> [a copy, whose tables are copies, too]
void push_copied_environment(lua_State* state);

}  // namespace gibbous::lua
