// What has been read before: kept in the state directory, or read by another load of the same
// files. A generation that takes a policy over runs init.lua, for `decide` and the modes, and
// brings the test function of a rule when a command meets that rule. One that knows the sources
// runs them as they were compiled, and reads no file.
#include <algorithm>
#include <lua.hpp>
#include <utility>

#include "bindings/lua/load/generation_loader.h"
#include "bindings/lua/policy/command_policy.h"

namespace gibbous::lua {
namespace {

// These say where somebody keeps what; no example and no case sees them.
constexpr const char* kNotSeen[] = {"HOME",     "STATE",     "CONFIG", "SCRIPTS",
                                    "POLICIES", "WORKSPACE", "PATH",   kCaches};

}  // namespace

KeptPlace GenerationLoader::policy_place() const {
  KeptPlace place;
  const bool shipped = options_.policies_dir == options_.shipped_policies_dir;
  // The functions of a host are not among the files.
  if (!options_.test_policies || (has_host() && !shipped)) return place;
  place.state_dir = options_.state_dir;
  place.kind = "policies";
  place.name = options_.policies_dir + '\n' + options_.shipped_policies_dir;
  place.context = place.name;
  if (shipped) return place;
  // Examples and cases were judged with these.
  for (const auto& [name, values] : options_.place.variables) {
    const auto* const end = std::end(kNotSeen);
    if (std::find(std::begin(kNotSeen), end, name) != end) continue;
    place.context += '\n' + name;
    for (const std::string& value : values) place.context += '\t' + value;
  }
  return place;
}

KeptPlace GenerationLoader::sources_place() const {
  KeptPlace place;
  if (options_.only_policies || !options_.spec_files.empty()) return place;
  place.state_dir = options_.state_dir;
  place.kind = "scripts";
  for (const std::string* directory : {&options_.scripts_dir, &options_.shipped_scripts_dir,
                                       &options_.policies_dir, &options_.shipped_policies_dir}) {
    place.name += *directory + '\n';
  }
  place.context = place.name;
  return place;
}

// Looks at the files of a load that was kept, and takes them over, compiled, if they are the same.
bool GenerationLoader::find_sources(Loader& scripts) {
  std::optional<KeptFile> kept = find_kept_file(sources_place());
  if (!kept) return false;
  Snapshot read = snapshot_.beside();
  if (!read.take_known(kept->files)) return false;
  snapshot_.adopt(std::move(read));
  scripts.use_chunks(kept->chunks);
  policies_->use_chunks(kept->chunks);
  sources_ = std::move(*kept);
  return true;
}

// Reads the files of a kept policy, and takes them and it over if they are the same.
bool GenerationLoader::find_policy() {
  std::optional<KeptPolicy> kept = find_kept_policy(policy_place());
  if (!kept) return false;
  std::vector<KnownFile> unknown;
  for (const KnownFile& file : kept->files) {
    const std::optional<std::string> hash = snapshot_.hash_of(file.path);
    if (!hash) {
      unknown.push_back(file);
    } else if (*hash != file.hash) {
      return false;
    }
  }
  Snapshot read = snapshot_.beside();
  if (!read.take_known(unknown)) return false;
  snapshot_.adopt(std::move(read));
  if (options_.only_policies) settle(*kept);
  policies_->use_chunks(kept->read.chunks);
  known_ = std::move(kept->read);
  is_kept_ = true;
  return true;
}

std::vector<KnownFile> GenerationLoader::known_files(
    const std::function<bool(const std::string&)>& fits) const {
  std::vector<KnownFile> files;
  snapshot_.each_known(began_, options_.settled, [&](KnownFile file) {
    if (fits(file.path)) files.push_back(std::move(file));
  });
  return files;
}

std::vector<KnownFile> GenerationLoader::policy_files() const {
  return known_files([this](const std::string& path) { return is_below_policies(path); });
}

// Files that were new when something was kept are compared with their hashes. Once they are old, it
// is kept again with their states, so that the next process need not read them.
static bool is_unsettled(const std::vector<KnownFile>& files) {
  return std::any_of(files.begin(), files.end(), [](const KnownFile& file) {
    return !file.hash.empty() && !file.state && !is_in_memory(file.path);
  });
}

void GenerationLoader::settle(const KeptPolicy& kept) {
  if (!is_unsettled(kept.files)) return;
  const KeptPolicy settled{policy_files(), kept.read};
  if (!is_unsettled(settled.files)) keep_policy(policy_place(), settled);
}

// Keeps what was read and tested, for the next process.
void GenerationLoader::keep(PolicyProgram& policy) {
  const KeptPlace place = policy_place();
  if (is_kept_ || is_adopted_ || place.state_dir.empty() || policies_ == nullptr) return;
  CommandPolicy* commands = policy.tables().commands.get();
  if (commands == nullptr || commands->empty()) return;
  (void)policy.state().protect(
      {}, [&](lua_State* state) { commands->note_chunks(policies_->dump_chunks(state)); }, nullptr);
  keep_policy(place, {policy_files(), commands->read_policy()});
}

// Leaves the work of keeping the sources to whoever uses the generation.
void GenerationLoader::keep_sources(const Loader& scripts) {
  KeptPlace place = sources_place();
  if (place.state_dir.empty() || (sources_ && !is_unsettled(sources_->files))) return;
  const auto is_source = [this](const std::string& path) {
    return is_below_policies(path) || is_below(path, options_.scripts_dir) ||
           is_below(path, options_.shipped_scripts_dir);
  };
  std::vector<KnownFile> files = known_files(is_source);
  std::shared_ptr<const Chunks> chunks;
  if (sources_) {
    if (is_unsettled(files)) return;
    chunks = sources_->chunks;
  } else {
    const bool dumped = made_->state_->protect(
        {},
        [&](lua_State* state) {
          auto all = std::make_shared<Chunks>();
          scripts.dump_chunks(state, all.get());
          policies_->dump_chunks(state, all.get());
          chunks = std::move(all);
        },
        nullptr);
    if (!dumped || chunks == nullptr) return;
  }
  made_->unkept_ = [place = std::move(place), files = std::move(files),
                    chunks = std::move(chunks)] { keep_file(place, files, *chunks, ""); };
}

// [...] -> [...]
void GenerationLoader::find_tests(lua_State* state, Loader& loader, CommandPolicy& commands) {
  for (const auto& [module, path] : loader.modules()) {
    loader.push_module(state, module);
    commands.find_tests(state, module);
    lua_pop(state, 1);
  }
}

void GenerationLoader::adopt(CommandPolicy& commands, ReadPolicy read) {
  is_adopted_ = true;
  policies_->use_chunks(read.chunks);
  CommandPolicy::BringTest bring = [self = shared_from_this(), origins = read.tests,
                                    knowledge = read.knowledge](lua_State* state, std::size_t test,
                                                                std::vector<LuaRef>* tests) {
    if (origins[test].module.empty()) {
      self->bring_all_tests(state, *knowledge, tests);
    } else {
      self->bring_test(state, origins[test], &(*tests)[test]);
    }
  };
  BudgetLimits limits;
  limits.total = options_.policy_load_budget;
  limits.processor = true;
  commands.adopt(std::move(read), std::move(bring), limits);
}

void GenerationLoader::bring_test(lua_State* state, const TestOrigin& origin, LuaRef* test) {
  const int top = lua_gettop(state);
  policies_->push_module(state, origin.module);  // [rules]
  if (lua_istable(state, -1)) lua_rawgeti(state, -1, origin.item);
  if (lua_istable(state, -1)) lua_getfield(state, -1, "test");
  if (lua_isfunction(state, -1)) *test = LuaRef::take(state);
  lua_settop(state, top);
}

// Reads all rules again, in the same order: their tests may have been made in any way.
void GenerationLoader::bring_all_tests(lua_State* state, const command::Knowledge& knowledge,
                                       std::vector<LuaRef>* tests) {
  const int top = lua_gettop(state);
  root_.push(state);
  lua_getfield(state, -1, "rules");
  if (lua_isfunction(state, -1)) lua_call(state, 0, 1);
  Faults faults;
  brought_ = {};  // a member, because what raises runs no destructor of a reference
  const bool good = read_rules(state, lua_gettop(state), knowledge, &brought_, &faults);
  if (good && brought_.tests.size() == tests->size()) *tests = std::move(brought_.tests);
  brought_ = {};
  lua_settop(state, top);
}

// Those of a policy of one's own cost as much as all of its rules: a script that happens to be the
// first must not pay for them.
void GenerationLoader::bring_own_tests(std::vector<ScriptError>* errors) {
  if (!is_adopted_ || is_tested() || options_.only_policies) return;
  ScriptError error;
  const CommandPolicy& commands = *made_->policy().commands();
  if (!commands.bring_tests(*made_->state_, &error)) errors->push_back(std::move(error));
}

void GenerationLoader::give_up() {
  brought_ = {};
  root_.reset();
  policy_environment_.reset();
  policies_.reset();
  made_.reset();
}

}  // namespace gibbous::lua
