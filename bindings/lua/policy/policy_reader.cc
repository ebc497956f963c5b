#include "bindings/lua/policy/policy_reader.h"

#include <algorithm>
#include <lua.hpp>
#include <utility>

#include "bindings/lua/policy/command_policy.h"
#include "runtime/audit/redact.h"
#include "runtime/base/nearest.h"

namespace gibbous::lua {
namespace {

const std::vector<std::string> kKeys = {"modes", "decide", "rules", "knowledge", "cases", "log"};
const std::string kShape =
    "policies/init.lua must return { modes = { NAME = ... }, decide = function(effect) ... end }";
constexpr int kDefaultRank = 0;
constexpr std::size_t kMaxModes = 100;

bool fault(ScriptError* error, std::string message) {
  error->message = std::move(message);
  return false;
}

bool check_keys(lua_State* state, ScriptError* error) {
  lua_pushnil(state);
  while (lua_next(state, -2) != 0) {
    lua_pop(state, 1);
    const std::string key = lua_type(state, -1) == LUA_TSTRING ? lua_tostring(state, -1) : "[1]";
    if (std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end()) continue;
    const std::string near = nearest_name(key, kKeys);
    return fault(error, "what init.lua returns has an unknown key '" + key + "'; " +
                            (near.empty() ? "known are " + comma_list(kKeys)
                                          : "did you mean '" + near + "'?"));
  }
  return true;
}

// [mode] -> [mode]
int rank_of(lua_State* state) {
  if (!lua_istable(state, -1)) return kDefaultRank;
  lua_getfield(state, -1, "rank");
  const int rank = static_cast<int>(lua_tointeger(state, -1));
  lua_pop(state, 1);
  return rank;
}

// [root] -> [root]
bool read_modes(lua_State* state, const std::string& wanted, PolicyTables* tables,
                ScriptError* error) {
  lua_getfield(state, -1, "modes");  // [root, modes]
  if (!lua_istable(state, -1)) return fault(error, kShape);
  lua_pushnil(state);
  while (lua_next(state, -2) != 0) {  // [root, modes, name, mode]
    if (lua_type(state, -2) != LUA_TSTRING)
      return fault(error, "modes must be named: modes = { default = ... }");
    const std::string name = lua_tostring(state, -2);
    tables->mode_ranks[name] = rank_of(state);
    tables->modes.push_back(name);
    if (tables->modes.size() > kMaxModes) return fault(error, "too many modes");
    lua_pop(state, 1);
  }
  lua_getfield(state, -1, wanted.c_str());  // [root, modes, mode]
  if (lua_istable(state, -1)) {
    lua_getfield(state, -1, "tool_limits");
    tables->tool_limits = lua_toboolean(state, -1) != 0;
    lua_pop(state, 1);
  }
  lua_pop(state, 2);  // [root]
  std::sort(tables->modes.begin(), tables->modes.end());
  return true;
}

// [root] -> [root]
bool read_log(lua_State* state, const std::function<void(const std::string&)>& on_deprecated,
              PolicyTables* tables, ScriptError* error) {
  lua_getfield(state, -1, "log");  // [root, log]
  if (lua_isnil(state, -1)) {
    lua_pop(state, 1);
    return true;
  }
  constexpr char kLogShape[] = "log must be a table { redact = { 'RE2 of a secret', ... } }";
  if (!lua_istable(state, -1)) return fault(error, kLogShape);
  lua_getfield(state, -1, "redact");  // [root, log, patterns]
  if (lua_isnil(state, -1)) {
    lua_pop(state, 1);
    lua_getfield(state, -1, "mask");
    if (!lua_isnil(state, -1) && on_deprecated)
      on_deprecated("log.mask of policies/init.lua is deprecated: write log.redact");
  }
  if (!lua_istable(state, -1)) return fault(error, kLogShape);
  for (std::size_t at = 1; at <= lua_objlen(state, -1) && at <= kMaxModes; ++at) {
    lua_rawgeti(state, -1, static_cast<int>(at));
    const bool text = lua_type(state, -1) == LUA_TSTRING;
    if (text) tables->redact_patterns.emplace_back(lua_tostring(state, -1));
    lua_pop(state, 1);
    if (!text) return fault(error, kLogShape);
  }
  lua_pop(state, 2);
  const auto redactor = Redactor::create(tables->redact_patterns);
  return redactor.ok() || fault(error, redactor.status().message());
}

}  // namespace

bool read_policy_tables(lua_State* state, const std::string& mode,
                        const std::function<void(const std::string&)>& on_deprecated,
                        PolicyTables* tables, ScriptError* error) {
  if (!lua_istable(state, -1)) return fault(error, kShape + ", not " + luaL_typename(state, -1));
  if (!check_keys(state, error)) return false;
  lua_getfield(state, -1, "decide");
  if (!lua_isfunction(state, -1)) return fault(error, kShape);
  tables->decide = LuaRef::take(state);
  if (!read_modes(state, mode, tables, error) || !read_log(state, on_deprecated, tables, error))
    return false;
  const std::vector<std::string>& modes = tables->modes;
  if (mode.empty() || std::find(modes.begin(), modes.end(), mode) != modes.end()) return true;
  error->code = kUnknownMode;
  const std::string near = nearest_name(mode, modes);
  return fault(error, "there is no mode '" + mode + "'; known are " + comma_list(modes) +
                          (near.empty() ? "" : "; did you mean '" + near + "'?"));
}

}  // namespace gibbous::lua
