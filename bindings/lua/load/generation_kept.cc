// What has been read before. A generation that takes over the policy that another load has read of
// the same files runs init.lua, for `decide` and the modes, and brings the test function of a rule
// when a command meets that rule. One that finds the sources compiled, in the state directory, runs
// them as they are, and reads no file.
#include <algorithm>
#include <lua.hpp>
#include <utility>

#include "bindings/lua/load/generation_loader.h"
#include "bindings/lua/policy/command_policy.h"

namespace gibbous::lua {

KeptPlace GenerationLoader::sources_place() const {
  KeptPlace place;
  if (options_.only_policies || !options_.spec_files.empty()) return place;
  place.state_dir = options_.state_dir;
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

std::vector<KnownFile> GenerationLoader::known_files(
    const std::function<bool(const std::string&)>& fits) const {
  std::vector<KnownFile> files;
  snapshot_.each_known(began_, options_.settled, [&](KnownFile file) {
    if (fits(file.path)) files.push_back(std::move(file));
  });
  return files;
}

// Files that were new when something was kept are compared with their hashes. Once they are old, it
// is kept again with their states, so that the next process need not read them.
static bool is_unsettled(const std::vector<KnownFile>& files) {
  return std::any_of(files.begin(), files.end(), [](const KnownFile& file) {
    return !file.hash.empty() && !file.state && !is_in_memory(file.path);
  });
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
  // A disk that dies meanwhile holds a thread of its own, and not the one of the caller.
  made_->unkept_ = [place = std::move(place), files = std::move(files), chunks = std::move(chunks),
                    disk = snapshot_.beside()] {
    (void)disk.reach(place.state_dir, [place, files, chunks] { keep_file(place, files, *chunks); });
  };
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
