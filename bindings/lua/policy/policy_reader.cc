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
constexpr std::size_t kMaxListedTexts = 10'000;  // Redactor has the limit that people see

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

// [mode] -> [mode]
int rank_of(lua_State* state) {
  if (!lua_istable(state, -1)) return kDefaultRank;
  lua_getfield(state, -1, "rank");
  const int rank = static_cast<int>(lua_tointeger(state, -1));
  lua_pop(state, 1);
  return rank;
}

// Whether the mode on top runs something in a sandbox.
bool confines(lua_State* state) {
  lua_getfield(state, -1, "commands");
  bool found = false;
  for (const char* row : {"unmatched", "doubt", "build", "read"}) {
    if (!lua_istable(state, -1)) break;
    lua_getfield(state, -1, row);
    const std::string_view said = lua_type(state, -1) == LUA_TSTRING ? lua_tostring(state, -1) : "";
    found = found || said == "confined" || said == "build" || said == "plan";
    lua_pop(state, 1);
  }
  lua_pop(state, 1);
  return found;
}

// [root] -> [root]
bool read_modes(lua_State* state, const std::string& wanted, PolicyTables* tables,
                ScriptError* error) {
  lua_getfield(state, -1, "modes");  // [root, modes]
  if (!lua_istable(state, -1)) return fault(error, kExpected);
  lua_pushnil(state);
  while (lua_next(state, -2) != 0) {  // [root, modes, name, mode]
    if (lua_type(state, -2) != LUA_TSTRING)
      return fault(error, "modes: expected names, as in modes = { default = ... }");
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
    tables->confines = confines(state);
  }
  lua_pop(state, 2);  // [root]
  std::sort(tables->modes.begin(), tables->modes.end());
  return true;
}

// Returns false when the table is anything but a list of texts: a pattern must not get lost.
// [texts] -> [texts]
bool read_texts(lua_State* state, std::vector<std::string>* texts) {
  const std::size_t count = lua_objlen(state, -1);
  std::size_t members = 0;
  for (lua_pushnil(state); lua_next(state, -2) != 0; lua_pop(state, 1)) ++members;
  if (members != count || count > kMaxListedTexts) return false;
  for (std::size_t at = 1; at <= count; ++at) {
    lua_rawgeti(state, -1, static_cast<int>(at));
    std::size_t size = 0;
    const bool is_text = lua_type(state, -1) == LUA_TSTRING;
    const char* text = is_text ? lua_tolstring(state, -1, &size) : nullptr;
    if (is_text) texts->emplace_back(text, size);
    lua_pop(state, 1);
    if (!is_text) return false;
  }
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
  constexpr char kLogShape[] = "log: expected a table { redact = { 'RE2 of a secret', ... } }";
  if (!lua_istable(state, -1)) return fault(error, kLogShape);
  lua_getfield(state, -1, "redact");  // [root, log, patterns]
  if (lua_isnil(state, -1)) {
    lua_pop(state, 1);
    lua_getfield(state, -1, "mask");
    if (!lua_isnil(state, -1) && on_deprecated)
      on_deprecated("log.mask of policies/init.lua is deprecated: write log.redact");
  }
  if (!lua_istable(state, -1)) return fault(error, kLogShape);
  if (!read_texts(state, &tables->redact_patterns)) return fault(error, kLogShape);
  lua_pop(state, 2);
  const auto redactor = Redactor::create(tables->redact_patterns);
  return redactor.ok() || fault(error, "log." + redactor.status().message());
}

}  // namespace

bool read_policy_tables(lua_State* state, const std::string& mode,
                        const std::function<void(const std::string&)>& on_deprecated,
                        PolicyTables* tables, ScriptError* error) {
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
  if (!read_modes(state, mode, tables, error) || !read_log(state, on_deprecated, tables, error)) {
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
