#include "bindings/lua/policy/policy_reader.h"

#include <algorithm>
#include <lua.hpp>
#include <utility>

#include "bindings/lua/check/definition.h"
#include "bindings/lua/policy/command_policy.h"
#include "runtime/audit/redact.h"
#include "runtime/base/nearest.h"

namespace gibbous::lua {
namespace {

const std::string kExpected =
    "policies/init.lua must return { modes = { NAME = ... }, decide = function(effect) ... end }";
constexpr int kDefaultRank = 0;
constexpr std::size_t kMaxModes = 100;

bool fault(ScriptError* error, std::string message) {
  error->message = std::move(message);
  return false;
}

const DefinitionShape& root_shape() {
  static const DefinitionShape shape(
      Json::object(), {},
      {"modes", "decide", "reads", "rules", "knowledge", "cases", "log", "views"});
  return shape;
}

// Whether the mode runs something in a sandbox.
bool confines(const Json& mode) {
  const Json commands = mode.value("commands", Json::object());
  if (!commands.is_object()) return false;
  return std::any_of(commands.begin(), commands.end(), [](const Json& row) {
    return row == "confined" || row == "build" || row == "plan";
  });
}

// [root] -> [root]
bool read_modes(lua_State* state, const std::string& wanted, PolicyTables* tables,
                ScriptError* error) {
  lua_getfield(state, -1, "modes");  // [root, modes]
  if (!lua_istable(state, -1)) return fault(error, kExpected);
  for (lua_pushnil(state); lua_next(state, -2) != 0; lua_pop(state, 1)) {
    // [root, modes, name, mode]
    if (lua_type(state, -2) != LUA_TSTRING)
      return fault(error, "modes: expected names, as in modes = { default = ... }");
    const std::string name = lua_tostring(state, -2);
    tables->modes.push_back(name);
    if (tables->modes.size() > kMaxModes) return fault(error, "too many modes");
    int& rank = tables->mode_ranks[name] = kDefaultRank;
    if (!lua_istable(state, -1)) continue;
    lua_getfield(state, -1, "rank");
    rank = static_cast<int>(lua_tointeger(state, -1));
    lua_pop(state, 1);
    if (name != wanted) continue;
    const Json mode = to_json(state, -1, "modes");
    if (!mode.is_object()) continue;
    tables->tool_limits = mode.value("tool_limits", Json(false)) != Json(false);
    tables->confines = confines(mode);
  }
  lua_pop(state, 1);  // [root]
  std::sort(tables->modes.begin(), tables->modes.end());
  return true;
}

// [root] -> [root]
bool read_log(lua_State* state, PolicyTables* tables, ScriptError* error) {
  lua_getfield(state, -1, "log");  // [root, log]
  const Json log = lua_isnil(state, -1) ? Json() : to_json(state, -1, "log");
  lua_pop(state, 1);
  if (log.is_null()) return true;
  constexpr char kLogShape[] = "log: expected a table { redact = { 'RE2 of a secret', ... } }";
  const Json patterns = log.is_object() ? log.value("redact", Json()) : Json();
  // A pattern must not get lost. An empty table may be read as either.
  const bool is_list = patterns.is_array() || (patterns.is_object() && patterns.empty());
  if (!is_list || !std::all_of(patterns.begin(), patterns.end(),
                               [](const Json& each) { return each.is_string(); })) {
    return fault(error, kLogShape);
  }
  for (const Json& each : patterns) tables->redact_patterns.push_back(each.get<std::string>());
  const auto redactor = Redactor::create(tables->redact_patterns);
  return redactor.ok() || fault(error, "log." + redactor.status().message());
}

}  // namespace

bool read_policy_tables(lua_State* state, const std::string& mode, PolicyTables* tables,
                        ScriptError* error) {
  if (!lua_istable(state, -1)) return fault(error, kExpected + ", not " + luaL_typename(state, -1));
  if (const auto data = root_shape().read(state); !data)
    return fault(error, "what init.lua returns: " + data.status().message());
  lua_getfield(state, -1, "decide");
  if (!lua_isfunction(state, -1)) {
    lua_getfield(state, -2, "rules");
    lua_getfield(state, -3, "modes");
    const bool is_of_layer = lua_isnil(state, -3) && lua_istable(state, -2) && lua_isnil(state, -1);
    lua_pop(state, 3);
    if (is_of_layer) error->code = kRulesAlone;
    return fault(error, kExpected);
  }
  tables->decide = LuaRef::take(state);
  lua_getfield(state, -1, "views");
  if (lua_isfunction(state, -1)) {
    tables->views = LuaRef::take(state);
  } else if (lua_isnil(state, -1)) {
    lua_pop(state, 1);
  } else {
    return fault(error, "views: expected a function(path, text)");
  }
  if (!read_modes(state, mode, tables, error) || !read_log(state, tables, error)) {
    return false;
  }
  const std::vector<std::string>& modes = tables->modes;
  if (mode.empty() || std::find(modes.begin(), modes.end(), mode) != modes.end()) return true;
  error->code = kUnknownMode;
  const std::string near = nearest_name(mode, modes);
  return fault(error, "there is no mode '" + mode + "'; known are " + comma_list(modes) +
                          did_you_mean(near));
}

}  // namespace gibbous::lua
