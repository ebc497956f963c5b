// What has been read of a policy before: kept in the state directory, or read by another load of
// the same files. A generation that takes it over runs init.lua, for `decide` and the modes, and
// brings the test function of a rule when a command meets that rule.
#include <algorithm>
#include <lua.hpp>
#include <utility>

#include "bindings/lua/load/generation_loader.h"
#include "bindings/lua/policy/command_policy.h"

namespace gibbous::lua {
namespace {

// These say where somebody keeps what; no example and no case sees them.
constexpr const char* kNotSeen[] = {"HOME",     "STATE",     "CONFIG", "SCRIPTS",
                                    "POLICIES", "WORKSPACE", kCaches};

}  // namespace

KeptPlace GenerationLoader::kept_place() const {
  KeptPlace place;
  const bool shipped = options_.policies_dir == options_.shipped_policies_dir;
  // The functions of a host are not among the files.
  if (!options_.test_policies || (has_host() && !shipped)) return place;
  place.state_dir = options_.state_dir;
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

// Reads the files of a kept policy, and takes them and it over if they are the same.
bool GenerationLoader::find_kept() {
  std::optional<KeptPolicy> kept = find_kept_policy(kept_place());
  if (!kept) return false;
  Snapshot read = snapshot_.beside();
  if (!read.take_known(kept->files)) return false;
  snapshot_.adopt(std::move(read));
  if (options_.only_policies) settle(*kept);
  policies_->use_chunks(kept->read.chunks);
  known_ = std::move(kept->read);
  is_kept_ = true;
  return true;
}

std::vector<KnownFile> GenerationLoader::known_files() const {
  std::vector<KnownFile> files;
  snapshot_.each_known(began_, options_.settled, [&](KnownFile file) {
    if (is_below_policies(file.path)) files.push_back(std::move(file));
  });
  return files;
}

// Files that were new when the policy was kept are compared with their hashes. Once they are old,
// it is kept again with their states, so that the next process need not read them.
void GenerationLoader::settle(const KeptPolicy& kept) {
  const auto unsettled = [](const KnownFile& file) {
    return !file.hash.empty() && !file.state && !is_in_memory(file.path);
  };
  if (std::none_of(kept.files.begin(), kept.files.end(), unsettled)) return;
  const KeptPolicy settled{known_files(), kept.read};
  if (std::none_of(settled.files.begin(), settled.files.end(), unsettled))
    keep_policy(kept_place(), settled);
}

// Keeps what was read and tested, for the next process.
void GenerationLoader::keep(PolicyProgram& policy) {
  const KeptPlace place = kept_place();
  if (is_kept_ || is_adopted_ || place.state_dir.empty() || policies_ == nullptr) return;
  CommandPolicy* commands = policy.tables().commands.get();
  if (commands == nullptr || commands->empty()) return;
  (void)policy.state().protect(
      {}, [&](lua_State* state) { commands->note_chunks(policies_->dump_chunks(state)); }, nullptr);
  keep_policy(place, {known_files(), commands->read_policy()});
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
