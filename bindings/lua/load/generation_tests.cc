// A generation that takes over the policy that another load has read of the same files runs
// init.lua, for `decide` and the modes, and brings the test function of a rule when a command meets
// that rule.
#include <algorithm>
#include <lua.hpp>
#include <utility>

#include "bindings/lua/load/generation_loader.h"
#include "bindings/lua/policy/command_policy.h"

namespace gibbous::lua {

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
  const bool good =
      read_rules(state, lua_gettop(state), knowledge, &brought_, &faults, /*tested=*/true);
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
