// What the layers of a configuration add to a generation: toolsets, and policies that judge every
// request, too. Each runs in an environment of its own, with modules that ship from memory, so that
// neither the user's scripts nor a variable of the environment changes what it means.
#include <lua.hpp>
#include <utility>

#include "bindings/lua/load/generation_loader.h"
#include "bindings/lua/policy/command_policy.h"
#include "bindings/lua/policy/policy_guard.h"
#include "bindings/lua/policy/policy_reader.h"
#include "bindings/lua/source/memory_files.h"

namespace gibbous::lua {
namespace {

constexpr int kGuardInstructions = 100;  // between two looks at the clock

SourceTree layer_tree(const std::string& name, const std::string& directory) {
  SourceTree tree{name, {directory}};
  const std::string shipped = std::string(kBuiltInPlace) + "/" + name;
  const bool policies = name == "policies";
  if (policies) tree.dirs.push_back(directory + "/lib");
  if (directory != shipped) {
    tree.dirs.push_back(shipped);
    if (policies) tree.dirs.push_back(shipped + "/lib");
  }
  return tree;
}

bool has_field(lua_State* state, const char* name) {
  lua_getfield(state, -1, name);
  const bool has = !lua_isnil(state, -1);
  lua_pop(state, 1);
  return has;
}

}  // namespace

void copy_table(lua_State* state) {
  lua_newtable(state);  // [table, copy]
  lua_pushnil(state);
  while (lua_next(state, -3) != 0) {
    lua_pushvalue(state, -2);
    lua_insert(state, -2);  // [table, copy, key, key, value]
    lua_rawset(state, -4);
  }
  if (lua_getmetatable(state, -2) != 0) lua_setmetatable(state, -2);
  lua_remove(state, -2);
}

void push_copied_environment(lua_State* state) {
  const int original = lua_gettop(state);
  lua_newtable(state);
  const int made = lua_gettop(state);
  lua_pushnil(state);
  while (lua_next(state, original) != 0) {  // [environment, copy, key, value]
    if (lua_rawequal(state, -1, original) != 0) {
      lua_pop(state, 1);
      lua_pushvalue(state, made);
    } else if (lua_istable(state, -1)) {
      copy_table(state);
    }
    lua_pushvalue(state, -2);
    lua_insert(state, -2);
    lua_rawset(state, made);
  }
  lua_remove(state, original);
}

std::vector<ScriptError> GenerationLoader::compile_layers(
    std::vector<std::unique_ptr<Loader>>* loaders) {
  std::vector<ScriptError> errors;
  for (const LayerParts& layer : layers_.parts) {
    if (layer.scripts_dir.empty()) continue;
    loaders->push_back(std::make_unique<Loader>(*made_->state_, snapshot_,
                                                layer_tree("scripts", layer.scripts_dir)));
    for (ScriptError& error : loaders->back()->compile_all()) errors.push_back(std::move(error));
  }
  return errors;
}

// [root] -> [root]. Adds the toolsets of the layers to those of init.lua.
bool GenerationLoader::add_layer_toolsets(lua_State* state,
                                          const std::vector<std::unique_ptr<Loader>>& layers,
                                          ScriptError* error) {
  if (layers.empty() || !lua_istable(state, -1)) return true;
  luaL_checkstack(state, LUA_MINSTACK, "reading layers");
  lua_getfield(state, -1, "toolsets");  // [root, toolsets]
  if (!lua_istable(state, -1)) {        // read_toolsets says what is wrong with it
    lua_pop(state, 1);
    return true;
  }
  // In a list of its own: a script may keep the one of init.lua.
  lua_newtable(state);
  const std::size_t count = lua_objlen(state, -2);
  for (std::size_t at = 1; at <= count; ++at) {
    lua_rawgeti(state, -2, static_cast<int>(at));
    lua_rawseti(state, -2, static_cast<int>(at));
  }
  lua_remove(state, -2);
  for (const auto& layer : layers) {
    lua_pushvalue(state, LUA_GLOBALSINDEX);
    push_copied_environment(state);
    layer->install_require(state);
    layer->run_init(state);  // [root, toolsets, layer]
    const std::string file = layer->file_of_value(state, -1);
    const auto wrong = [&](const std::string& what) {
      error->file = file;
      error->message = what;
      lua_pop(state, 2);
      return false;
    };
    if (!lua_istable(state, -1)) return wrong("must return { toolsets = { require 'tools.x' } }");
    for (const char* name : {"executors", "watchers", "optional", "on_request"}) {
      if (has_field(state, name)) {
        return wrong(std::string(name) + ": a layer adds toolsets, and nothing else");
      }
    }
    lua_getfield(state, -1, "toolsets");
    if (!lua_istable(state, -1)) {
      lua_pop(state, 1);
      return wrong("toolsets: expected a list of toolsets");
    }
    const std::size_t more = lua_objlen(state, -1);
    for (std::size_t at = 1; at <= more; ++at) {
      lua_rawgeti(state, -1, static_cast<int>(at));
      lua_rawseti(state, -4, static_cast<int>(lua_objlen(state, -4)) + 1);
    }
    lua_pop(state, 2);  // [root, toolsets]
  }
  lua_setfield(state, -2, "toolsets");
  return true;
}

void GenerationLoader::load_guards(std::vector<ScriptError>* errors) {
  for (const LayerParts& layer : layers_.parts) {
    if (layer.policies_dir.empty()) continue;
    Loader loader(*made_->state_, snapshot_, layer_tree("policies", layer.policies_dir));
    std::vector<ScriptError> broken = loader.compile_all();
    if (broken.empty()) {
      (void)load_guard(layer, loader, errors);
    } else {
      errors->insert(errors->end(), broken.begin(), broken.end());
    }
  }
}

bool GenerationLoader::load_guard(const LayerParts& layer, Loader& loader,
                                  std::vector<ScriptError>* errors) {
  started_ = thread_time();
  BudgetLimits limits = budget(options_.policy_load_budget);
  limits.instructions = kGuardInstructions;
  PolicyGuard guard;
  guard.name = layer.name;
  guard.tables.commands = std::make_unique<CommandPolicy>();
  ScriptError error;
  policy_faults_.clear();
  bool valid = false;
  const bool ran = made_->state_->protect(
      limits,
      [&](lua_State* state) {
        policy_environment_.push(state);
        push_copied_environment(state);
        loader.install_require(state);
        loader.run_init(state);  // [root]
        error.file = loader.file_of_value(state, -1);
        valid = read_guard(state, layer, loader, &guard.tables, &error);
      },
      &error);
  if (!ran || !valid) {
    if (policy_faults_.empty()) policy_faults_.push_back(error);
    errors->insert(errors->end(), policy_faults_.begin(), policy_faults_.end());
    policy_faults_.clear();
    return false;
  }
  made_->policy().add_guard(std::move(guard));
  const bool shipped = layer.policies_dir == std::string(kBuiltInPlace) + "/policies";
  if (options_.test_policies && !shipped) {
    add_failures(made_->policy().test(made_->policy().last_guard_tables()), errors);
  }
  return true;
}

// [root] -> [root]
bool GenerationLoader::read_guard(lua_State* state, const LayerParts& layer, Loader& loader,
                                  PolicyTables* tables, ScriptError* error) {
  const auto wrong = [error](const std::string& what) {
    error->message = what;
    return false;
  };
  if (!lua_istable(state, -1)) return wrong("must return { rules = { ... } }");
  const bool whole = has_field(state, "decide");
  if (whole && layer.only_rules) {
    return wrong("decide: a project only adds rules that ask or deny: return { rules = { ... } }");
  }
  if (whole) {
    if (!read_policy_tables(state, "", tables, error)) return false;
    read_profiles(state, loader, tables);
  } else {
    lua_pushnil(state);
    while (lua_next(state, -2) != 0) {
      lua_pop(state, 1);
      const std::string key = lua_type(state, -1) == LUA_TSTRING ? lua_tostring(state, -1) : "";
      if (key == "rules" || key == "knowledge" || key == "cases") continue;
      return wrong((key.empty() ? "a key" : key) +
                   ": without `decide`, expected rules, knowledge and cases");
    }
    tables->modes = made_->policy().tables().modes;
    if (!has_field(state, "knowledge")) {
      loader.push_module(state, "knowledge");
      lua_setfield(state, -2, "knowledge");
    }
  }
  const SourceIndex sources(sources_if(
      [&](const std::string& path) { return path.starts_with(layer.policies_dir + "/"); }));
  Faults faults(&sources,
                [&loader](lua_State* lua, int index) { return loader.file_of_value(lua, index); });
  const bool shipped = layer.policies_dir == std::string(kBuiltInPlace) + "/policies";
  const bool good = tables->commands->read(state, lua_gettop(state), {shipped, ""}, &faults);
  policy_faults_ = faults.list();
  if (!good) return wrong("the tables of the policy are not right");
  if (whole || tables->commands->empty()) return true;
  for (const rules::Rule& rule : tables->commands->rules().rules()) {
    if (rule.decision != rules::Decision::kAllow) continue;
    error->file = rule.file;
    error->line = rule.line;
    return wrong("rule " + rule.id + " allows: rules that a layer adds ask or deny");
  }
  return true;
}

}  // namespace gibbous::lua
