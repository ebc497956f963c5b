#include "bindings/lua/load/generation_loader.h"

#include <algorithm>
#include <lua.hpp>
#include <sstream>
#include <utility>

#include "bindings/lua/check/definition.h"
#include "bindings/lua/check/limits_value.h"
#include "bindings/lua/check/schema_check.h"
#include "bindings/lua/check/schema_table.h"
#include "bindings/lua/load/executor_reader.h"
#include "bindings/lua/load/preset_reader.h"
#include "bindings/lua/load/tool_reader.h"
#include "bindings/lua/policy/command_policy.h"
#include "bindings/lua/policy/policy_reader.h"
#include "bindings/lua/source/trusted_file.h"
#include "runtime/base/sha256.h"

namespace gibbous::lua {
namespace {

// While files run that have run before: they have passed their own checks, and leave
// little to collect, for which a process that judges one command does not live long enough.
void set_known_files(lua_State* state, bool known) {
  set_definitions_known(state, known);
  lua_gc(state, known ? LUA_GCSTOP : LUA_GCRESTART, 0);
}

// The tool of the call is the one that queued the run.
constexpr const char* kStartQueued =
    "local options = ...\n"
    "local handle, err = run.start(options)\n"
    "if not handle then tool.error(err.code, err.message) end\n"
    "return 'started'\n";
// Only the run that needs the secret sees what its command prints.
constexpr const char* kReadSecret =
    "local options = ...\n"
    "local handle, err = run.start { argv = options.argv, timeout_ms = 10000 }\n"
    "if not handle then tool.error(err.code, err.message) end\n"
    "handle:wait { wait.exit(handle) }\n"
    "local info = handle:info()\n"
    "if info.state ~= 'completed' then\n"
    "  tool.error('secret_unavailable', 'its command failed: ' .. tostring(info.reason))\n"
    "end\n"
    "return { data = { value = handle:read({ raw = true, max_bytes = 65536 }).text } }\n";
// A watcher's handler, like a function of an executor, may return nothing, or a table that becomes
// the call's data.
constexpr const char* kHandler =
    "local handler = ...\n"
    "return function(event, ctx)\n"
    "  local data = handler(event, ctx)\n"
    "  if data == nil then return '' end\n"
    "  return { data = data }\n"
    "end\n";

// Policies see only the tables of the API that neither act nor remember, because rules are pure.
// The rest of their environment is what the sandbox leaves.
constexpr const char* kPolicyApi[] = {"json", "log"};
constexpr int kPolicyInstructions = 100;  // between two looks at the clock
constexpr std::size_t kHashDigits = 16;

// Modules of policies/lib are required without the folder's name.
SourceTree tree_of(const std::string& name, const std::string& own, const std::string& shipped) {
  SourceTree tree{name, {}};
  for (const std::string& dir : {own, shipped}) {
    if (dir.empty()) continue;
    tree.dirs.push_back(dir);
    if (name == "policies") tree.dirs.push_back(dir + "/lib");
  }
  return tree;
}

// Wraps a function of the scripts, so that its result becomes the data of a call.
void give_data(lua_State* state, const char* chunk, LuaRef* function) {
  if (!load_chunk(state, kHandler, chunk)) return;
  function->push(state);
  lua_call(state, 1, 1);
  *function = LuaRef::take(state);
}

// ("x"):upper() finds its methods in a table that no script can reach, so that no script changes
// what a policy calls.
void seal_string_methods(lua_State* state) {
  lua_pushliteral(state, "");
  if (lua_getmetatable(state, -1) != 0) {  // [string, metatable]
    lua_pushliteral(state, "__index");
    lua_rawget(state, -2);
    if (lua_istable(state, -1)) {
      copy_table(state);
      lua_setfield(state, -2, "__index");
    }
  }
  lua_settop(state, 0);
}

}  // namespace

GenerationLoader::GenerationLoader(const GenerationOptions& options, const Generation* before,
                                   LayerSet layers)
    : options_(options), before_(before), layers_(std::move(layers)), snapshot_([this] {
        std::vector<const MemoryFiles*> memory = options_.in_memory;
        if (layers_.files) memory.push_back(layers_.files.get());
        return Snapshot(std::move(memory), options_.compiled);
      }()) {}

std::vector<MonitoredFile> GenerationLoader::watched() const {
  std::vector<MonitoredFile> all = snapshot_.watched();
  all.insert(all.end(), layers_.watched.begin(), layers_.watched.end());
  return all;
}

// The budget for reading the policy, which begins now.
BudgetLimits GenerationLoader::policy_limits() {
  started_ = thread_time();
  BudgetLimits limits = budget(options_.policy_load_budget);
  limits.instructions = kPolicyInstructions;
  return limits;
}

BudgetLimits GenerationLoader::budget(Nanos granted) const {
  BudgetLimits limits;
  const Nanos left = granted - (thread_time() - started_);
  limits.total = std::max(left, Nanos{1});  // 0 would mean no limit
  limits.processor = true;
  limits.granted = granted;
  return limits;
}

std::shared_ptr<Generation> GenerationLoader::load(std::uint64_t id, bool allow_broken_policy,
                                                   LoadFailure* failure) {
  made_.reset(new Generation());
  made_->id_ = id;
  if (!prepare(failure)) return nullptr;
  PolicyProgram& policy = made_->policy();

  Loader scripts(*made_->state_, snapshot_,
                 tree_of("scripts", options_.scripts_dir, options_.shipped_scripts_dir));
  policies_ = std::make_unique<Loader>(
      *made_->state_, snapshot_,
      tree_of("policies", options_.policies_dir, options_.shipped_policies_dir));
  std::vector<std::unique_ptr<Loader>> layer_scripts;
  if (!options_.only_policies) {
    failure->errors = scripts.compile_all();
    for (ScriptError& error : compile_layers(&layer_scripts)) {
      failure->errors.push_back(std::move(error));
    }
  }
  std::vector<ScriptError> policy_errors =
      is_tested() ? policies_->read_below(options_.policies_dir) : policies_->compile_all();
  const bool scripts_compile = failure->errors.empty();
  if (!scripts_compile) {
    failure->errors.insert(failure->errors.end(), policy_errors.begin(), policy_errors.end());
    return nullptr;
  }

  if (policy_errors.empty()) distrust(&policy_errors);
  policy.set_own_hash(policy_hash());
  same_policies_ = before_ != nullptr && before_->policy().commands() != nullptr &&
                   before_->policy().error().empty() &&
                   before_->policy().own_hash() == policy.own_hash();
  if (same_policies_) known_ = before_->policy().commands()->read_policy();

  started_ = thread_time();
  if (!options_.only_policies && !load_scripts(scripts, layer_scripts, failure)) return nullptr;
  if (policy_errors.empty()) {
    ScriptError error;
    if (!load_policies(*policies_, &error)) {
      policy_errors = std::move(policy_faults_);
      if (policy_errors.empty()) policy_errors.push_back(std::move(error));
    } else if (options_.test_policies && !is_adopted_ && !is_tested()) {
      add_failures(policy.test(policy.tables()), &policy_errors);
    }
  }
  if (policy_errors.empty()) bring_own_tests(&policy_errors);
  if (policy_errors.empty()) load_guards(&policy_errors);
  if (!policy_errors.empty()) {
    // A mode that does not exist is the caller's mistake, not a broken policy.
    const bool unknown_mode = policy_errors.front().code == kUnknownMode;
    if (!allow_broken_policy || unknown_mode) {
      failure->errors = std::move(policy_errors);
      failure->policy = !unknown_mode;
      return nullptr;
    }
    is_lazy_ = false;
    std::string all;
    for (const ScriptError& error : policy_errors) all += (all.empty() ? "" : "\n") + error.text();
    policy.fail(std::move(all));
    policy.tables().modes.clear();
  }
  if (policy.tool_limits()) add_limits_arguments();
  for (const SourceFile& file : snapshot_.files())
    made_->files_.push_back({file.path, "", file.hash});
  policy.set_hash(policy_hash());
  made_->watched_ = watched();
  made_->layers_ = layers_;     // what is read later may be among their files
  policy_environment_.reset();  // or it would outlive the state
  if (!is_lazy() && !is_adopted_) policies_.reset();
  return std::move(made_);
}

// Tools that pass limits on get the argument when the mode lets them.
void GenerationLoader::add_limits_arguments() {
  for (auto& [name, tool] : made_->offered_.tools) {
    if (!tool.takes_limits) continue;
    tool.input_schema["properties"]["limits"] =
        limits_schema("What the process may use; the mode may allow less");
    if (auto check = SchemaCheck::compile(tool.input_schema, argument_names()))
      tool.input_check = *check;
  }
}

// Shipped policies are tested when Gibbous is built, a user's own directory at every load.
bool GenerationLoader::is_tested() const {
  return options_.test_policies && options_.policies_dir == options_.shipped_policies_dir;
}

bool GenerationLoader::is_below(const std::string& path, const std::string& directory) {
  return !directory.empty() && path.starts_with(directory) && path[directory.size()] == '/';
}

bool GenerationLoader::is_below_policies(const std::string& path) const {
  return is_below(path, options_.policies_dir) || is_below(path, options_.shipped_policies_dir);
}

bool GenerationLoader::is_policy_file(const std::string& path) const {
  return is_below_policies(path) ||
         std::any_of(layers_.parts.begin(), layers_.parts.end(),
                     [&](const LayerParts& layer) { return is_below(path, layer.policies_dir); });
}

// Adds an error for each policy file that other users can write.
void GenerationLoader::distrust(std::vector<ScriptError>* errors) const {
  const auto directories = std::make_shared<DirectoryObjections>();
  for (const SourceFile& file : snapshot_.files()) {
    if (!is_policy_file(file.path)) continue;
    ScriptError error;
    error.code = "policy_untrusted";
    const auto objection = std::make_shared<std::string>();
    const auto look = [objection, directories, path = file.path] {
      *objection = objection_to_policy_file(path, directories.get());
    };
    if (is_in_memory(file.path) || !snapshot_.reach(file.path, look)) continue;
    error.message = *objection;
    if (!error.message.empty()) errors->push_back(std::move(error));
  }
}

// Hashes everything read for the policies, in the order of the paths.
std::string GenerationLoader::policy_hash() const {
  std::string all;
  snapshot_.each_path([&](const std::string& path, const std::string& hash) {
    if (!hash.empty() && is_policy_file(path)) all += path + hash;
  });
  return sha256_hex(all).substr(0, kHashDigits);
}

bool GenerationLoader::prepare(LoadFailure* failure) {
  ScriptError error;
  auto state = State::create({options_.memory, options_.clock});
  if (!state) {
    error.code = state.status().code();
    error.message = state.status().message();
  } else {
    made_->state_ = std::move(*state);
    made_->policy_ =
        std::make_unique<PolicyProgram>(*made_->state_, options_.policy_budget, options_.place);
    const bool ready = made_->state_->protect(
        {},
        [&](lua_State* lua) {
          // Before open_api, while the globals are what the sandbox leaves. The libraries are
          // copied, so that no script changes what a policy calls.
          lua_pushvalue(lua, LUA_GLOBALSINDEX);
          push_copied_environment(lua);
          policy_environment_ = LuaRef::take(lua);
          seal_string_methods(lua);
          if (options_.open_api) options_.open_api(lua);
          policy_environment_.push(lua);  // [environment]
          open_schema(lua);
          lua_setfield(lua, -2, "schema");
          for (const char* name : kPolicyApi) {
            lua_getglobal(lua, name);
            if (lua_istable(lua, -1)) copy_table(lua);
            lua_setfield(lua, -2, name);
          }
          if (options_.push_host_pure) {
            options_.push_host_pure(lua);
            lua_setfield(lua, -2, "host");
          }
        },
        &error);
    if (ready) return true;
  }
  failure->errors = {error};
  return false;
}

bool GenerationLoader::load_scripts(Loader& loader,
                                    const std::vector<std::unique_ptr<Loader>>& layers,
                                    LoadFailure* failure) {
  const bool is_known =
      loader.is_as_built() && layers_.parts.empty() && options_.spec_files.empty();
  ScriptError error;
  bool valid = false;
  const bool ran = made_->state_->protect(
      budget(options_.load_budget),
      [&](lua_State* state) {
        if (is_known) set_known_files(state, true);
        lua_pushvalue(state, LUA_GLOBALSINDEX);
        loader.install_require(state);
        loader.run_init(state);  // [root]
        ToolReaderOptions options;
        options.only = options_.toolsets;
        options.settings = options_.settings;
        options.shell_word = options_.shell_word;
        if (!options_.spec_files.empty()) add_specs(state, loader, &options);
        add_host_tools(state, &options);
        if (!add_layer_toolsets(state, layers, &error)) return;
        options.file_of_value = [&loader, &layers](lua_State* lua, int index) {
          std::string file = loader.file_of_value(lua, index);
          for (const auto& layer : layers) {
            if (file.empty()) file = layer->file_of_value(lua, index);
          }
          return file;
        };
        valid = read_executors(state, options.file_of_value, &made_->executors_, &error) &&
                read_toolsets(state, options, &made_->offered_, &error) &&
                load_presets(state, loader, options.file_of_value, &error) &&
                load_variables(state, loader, &error);
        if (!valid) return;
        if (load_chunk(state, kStartQueued, "queue")) made_->start_queued_ = LuaRef::take(state);
        if (load_chunk(state, kReadSecret, "secrets")) made_->read_secret_ = LuaRef::take(state);
        for (auto& [name, handler] : made_->offered_.handlers)
          give_data(state, "watchers", &handler);
        for (auto& [name, executor] : made_->executors_) {
          for (LuaRef* each : {&executor.prepare, &executor.ports, &executor.ended, &executor.usage,
                               &executor.sweep}) {
            if (*each) give_data(state, "executors", each);
          }
        }
      },
      &error);
  const auto end = [](lua_State* state) { set_known_files(state, false); };
  if (is_known) (void)made_->state_->protect({}, end, nullptr);
  if (ran && valid) return true;
  made_->offered_ = {};
  made_->executors_.clear();
  failure->errors = {error};
  return false;
}

// The watcher presets that find errors count in excerpts, whether a tool uses presets or not.
bool GenerationLoader::load_presets(
    lua_State* state, Loader& loader,
    const std::function<std::string(lua_State*, int)>& file_of_value, ScriptError* error) {
  constexpr const char* kPresets = "watchers.presets";
  if (!loader.has_module(kPresets)) return true;
  loader.push_module(state, kPresets);  // [root, presets]
  std::vector<ErrorPattern> patterns;
  const bool good = read_error_presets(state, file_of_value, &patterns, error);
  lua_pop(state, 1);
  if (good) made_->error_patterns_ = ErrorPatterns::of(std::move(patterns));
  return good;
}

bool GenerationLoader::load_variables(lua_State* state, Loader& loader, ScriptError* error) {
  constexpr const char* kModule = "toolsets.environment";
  if (!loader.has_module(kModule)) return true;
  loader.push_module(state, kModule);  // [root, module]
  Json tables[2];
  for (std::size_t at = 0; at < 2 && lua_istable(state, -1); ++at) {
    lua_getfield(state, -1, at == 0 ? "WITHOUT_TERMINAL" : "NEED_TERMINAL");
    if (lua_istable(state, -1)) tables[at] = to_json(state, -1);
    lua_pop(state, 1);
  }
  lua_pop(state, 1);
  try {
    if (!tables[0].empty()) tables[0].get_to(made_->run_variables_.without_terminal);
    if (!tables[1].empty()) tables[1].get_to(made_->run_variables_.need_terminal);
    return true;
  } catch (const Json::exception& wrong) {
    error->message = std::string(kModule) + ": expected strings: " + wrong.what();
    return false;
  }
}

// [root] -> [root]
void GenerationLoader::add_host_tools(lua_State* state, ToolReaderOptions* options) {
  if (options_.host_tools == nullptr || options_.host_tools->empty()) return;
  if (!lua_istable(state, -1)) return;  // read_toolsets says what is wrong with it
  lua_getfield(state, -1, "toolsets");
  if (lua_istable(state, -1)) {
    for (const bool functions : {false, true}) {
      if (!push_host_toolset(state, *options_.host_tools, functions, options_.push_host_run)) {
        continue;
      }
      lua_rawseti(state, -2, static_cast<int>(lua_objlen(state, -2)) + 1);
      if (options->only.empty()) continue;
      options->only.emplace_back(functions ? kHostFunctions : kHostToolset);
    }
  }
  lua_pop(state, 1);
}

// [root] -> [root]. Runs the spec files, and adds the toolsets that the module `spec` made of them.
void GenerationLoader::add_specs(lua_State* state, Loader& loader, ToolReaderOptions* options) {
  luaL_checkstack(state, LUA_MINSTACK, "reading specs");
  loader.push_module(state, "spec");  // [root, spec]
  options_.open_spec(state);
  lua_setfield(state, -2, "_native");
  for (const std::string& path : options_.spec_files) {
    lua_pushstring(state, path.c_str());
    lua_setfield(state, -2, "_file");
    loader.run_file(state, path);
  }
  lua_getfield(state, -1, "_toolsets");
  lua_call(state, 0, 1);                // [root, spec, made]
  lua_getfield(state, -3, "toolsets");  // [root, spec, made, toolsets]
  if (!lua_istable(state, -1)) {
    lua_pop(state, 3);
    return;  // read_toolsets says what is wrong with it
  }
  const std::size_t made = lua_objlen(state, -2);
  for (std::size_t i = 1; i <= made; ++i) {
    lua_rawgeti(state, -2, static_cast<int>(i));
    if (!options->only.empty()) {
      lua_getfield(state, -1, "name");
      options->only.emplace_back(lua_tostring(state, -1));
      lua_pop(state, 1);
    }
    lua_rawseti(state, -2, static_cast<int>(lua_objlen(state, -2)) + 1);
  }
  lua_pop(state, 3);
}

bool GenerationLoader::load_policies(Loader& loader, ScriptError* error) {
  const BudgetLimits limits = policy_limits();
  made_->policy().tables().commands = std::make_unique<CommandPolicy>();
  const bool is_known = loader.is_as_built();
  bool valid = false;
  const bool ran = made_->state_->protect(
      limits,
      [&](lua_State* state) {
        policy_environment_.push(state);
        loader.install_require(state);
        if (is_known) set_known_files(state, true);
        loader.run_init(state);  // [root]
        if (is_known) set_known_files(state, false);
        error->file = loader.file_of_value(state, -1);
        valid = read_policies(state, loader, error);
      },
      error);
  const auto end = [](lua_State* state) { set_known_files(state, false); };
  if (is_known && !ran) (void)made_->state_->protect({}, end, nullptr);
  return ran && valid;
}

// A policy whose own examples and cases fail does not do what its author means.
void GenerationLoader::add_failures(const std::string& failures, std::vector<ScriptError>* errors) {
  std::istringstream lines(failures);
  for (std::string line; std::getline(lines, line);) {
    ScriptError error;
    error.code = "policy_error";
    error.message = line;
    made_->state_->locate(line, &error);
    errors->push_back(std::move(error));
  }
}

// [root] -> [root]. Reads what the policy knows about commands.
bool GenerationLoader::read_commands(lua_State* state, Loader& loader, PolicyProgram& into) {
  CommandPolicy& commands = *into.tables().commands;
  if (known_) {
    adopt(commands, *std::exchange(known_, std::nullopt));
    return true;
  }
  const SourceIndex sources(
      sources_if([this](const std::string& path) { return is_policy_file(path); }));
  Faults faults(&sources,
                [&loader](lua_State* lua, int index) { return loader.file_of_value(lua, index); });
  const bool own = options_.policies_dir != options_.shipped_policies_dir;
  const bool good = commands.read(state, lua_gettop(state),
                                  {is_tested(), own ? options_.shipped_policies_dir : ""}, &faults);
  policy_faults_ = faults.list();
  if (good && is_tested()) find_tests(state, loader, commands);
  return good;
}

// Returns the files with such paths.
std::vector<SourceFile> GenerationLoader::sources_if(
    const std::function<bool(const std::string&)>& fits) const {
  std::vector<SourceFile> all;
  for (const SourceFile& file : snapshot_.files()) {
    if (!fits(file.path)) continue;
    all.push_back(file);
  }
  return all;
}

// Only policies that were tested when Gibbous was built are sure to be valid later.
bool GenerationLoader::waits_for_commands() const {
  return options_.lazy_policy && is_tested() && !known_ && !options_.only_policies;
}

bool GenerationLoader::load_lazy(PolicyProgram& policy, std::optional<ReadPolicy> known,
                                 ScriptError* error) {
  if (known) known_ = std::move(known);
  bool good = false;
  const bool ran = policy.state().protect(
      policy_limits(),
      [&](lua_State* state) {
        root_.push(state);
        good = read_commands(state, *policies_, policy);
      },
      error);
  is_lazy_ = false;
  if (ran && !good && !policy_faults_.empty()) *error = policy_faults_.front();
  return ran && good;
}

void GenerationLoader::read_profiles(lua_State* state, Loader& loader, PolicyTables* tables) {
  constexpr const char* kModule = "sandbox";
  if (!loader.has_module(kModule)) return;
  loader.push_module(state, kModule);  // [root, module]
  if (lua_istable(state, -1)) {
    lua_getfield(state, -1, "PROFILES");
    if (lua_istable(state, -1)) tables->profiles = std::make_shared<const Json>(to_json(state, -1));
    lua_pop(state, 1);
  }
  lua_pop(state, 1);
}

bool GenerationLoader::read_policies(lua_State* state, Loader& loader, ScriptError* error) {
  if (!read_policy_tables(state, options_.mode, &made_->policy().tables(), error)) return false;
  read_profiles(state, loader, &made_->policy().tables());
  lua_pushvalue(state, -1);
  root_ = LuaRef::take(state);
  is_lazy_ = waits_for_commands();
  if (is_lazy_) return true;
  if (read_commands(state, loader, made_->policy())) return true;
  error->message = "the tables of the policy are not right";
  return false;
}

}  // namespace gibbous::lua
