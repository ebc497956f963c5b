#include "bindings/lua/load/executor_reader.h"

#include <algorithm>
#include <lua.hpp>
#include <utility>
#include <vector>

#include "bindings/lua/check/schema_check.h"
#include "runtime/base/nearest.h"

namespace gibbous::lua {
namespace {

constexpr int kMaxExecutors = 100;
const std::vector<std::string> kExecutorKeys = {"name",  "settings", "remote", "prepare",
                                                "ports", "ended",    "usage",  "sweep"};

class ExecutorReader {
 public:
  ExecutorReader(lua_State* state, ScriptError* error) : state_(state), error_(error) {}

  // [.., executor] -> the same
  bool read(std::string place, ExecutorDefinition* made) {
    if (!lua_istable(state_, -1)) {
      return fault(place + " must be a table { name = '...', prepare = function }, not a " +
                   luaL_typename(state_, -1));
    }
    lua_getfield(state_, -1, "name");
    if (lua_type(state_, -1) == LUA_TSTRING) made->name = lua_tostring(state_, -1);
    lua_pop(state_, 1);
    if (made->name.empty()) return fault(place + ".name must be a string that is not empty");
    place = "executor '" + made->name + "'";
    if (made->name == "host") return fault(place + ": runs of the host need no executor");
    return known_keys(place) && settings(place, made) && remote(place, made) &&
           function(place, "prepare", true, &made->prepare) &&
           function(place, "ports", false, &made->ports) &&
           function(place, "ended", false, &made->ended) &&
           function(place, "usage", false, &made->usage) &&
           function(place, "sweep", false, &made->sweep);
  }

  bool fault(const std::string& message) {
    error_->message = message;
    return false;
  }

 private:
  bool known_keys(const std::string& place) {
    for (lua_pushnil(state_); lua_next(state_, -2) != 0; lua_pop(state_, 1)) {
      const bool is_string = lua_type(state_, -2) == LUA_TSTRING;
      const std::string key = is_string ? lua_tostring(state_, -2) : "[1]";
      if (std::find(kExecutorKeys.begin(), kExecutorKeys.end(), key) != kExecutorKeys.end())
        continue;
      const std::string near = nearest_name(key, kExecutorKeys);
      return fault(
          place + " has an unknown key '" + key + "'" +
          (near.empty()
               ? "; known are name, settings, remote, prepare, ports, ended, usage and sweep"
               : "; did you mean '" + near + "'?"));
    }
    return true;
  }

  bool settings(const std::string& place, ExecutorDefinition* made) {
    lua_getfield(state_, -1, "settings");
    Json schema = lua_istable(state_, -1) ? to_json(state_, -1) : Json();
    lua_pop(state_, 1);
    if (schema.is_null()) schema = {{"type", "object"}, {"additionalProperties", false}};
    if (!schema.contains("properties")) schema["properties"] = Json::object();
    if (schema.value("required", Json()).empty()) schema.erase("required");
    auto compiled = SchemaCheck::compile(schema, "executors." + made->name);
    if (!compiled) return fault(place + ".settings: " + compiled.status().message());
    made->settings = *compiled;
    return true;
  }

  bool remote(const std::string& place, ExecutorDefinition* made) {
    lua_getfield(state_, -1, "remote");
    const bool good = lua_isnil(state_, -1) || lua_isboolean(state_, -1);
    made->remote = lua_toboolean(state_, -1) != 0;
    lua_pop(state_, 1);
    return good || fault(place + ".remote must be true or false");
  }

  bool function(const std::string& place, const char* key, bool required, LuaRef* into) {
    lua_getfield(state_, -1, key);
    const bool callable = lua_isfunction(state_, -1);
    const bool missing = lua_isnil(state_, -1);
    if (callable) {
      *into = LuaRef::take(state_);
      return true;
    }
    lua_pop(state_, 1);
    if (missing && !required) return true;
    return fault(place + "." + key + " must be a function");
  }

  lua_State* state_;
  ScriptError* error_;
};

}  // namespace

bool read_executors(lua_State* state,
                    const std::function<std::string(lua_State*, int)>& file_of_value,
                    std::map<std::string, ExecutorDefinition>* executors, ScriptError* error) {
  if (!lua_istable(state, -1)) return true;  // the reader of toolsets reports that
  const int top = lua_gettop(state);
  ExecutorReader reader(state, error);
  error->file = file_of_value(state, -1);
  lua_getfield(state, -1, "executors");  // [root, executors]
  bool good = lua_isnil(state, -1) || lua_istable(state, -1);
  if (!good) reader.fault("executors must be a list { require 'executors.docker', ... }");
  const int count = lua_istable(state, -1) ? static_cast<int>(lua_objlen(state, -1)) : 0;
  if (count > kMaxExecutors) good = reader.fault("more than 100 executors");
  for (int i = 1; good && i <= count; ++i) {
    lua_rawgeti(state, top + 1, i);
    if (const std::string file = file_of_value(state, -1); !file.empty()) error->file = file;
    ExecutorDefinition made;
    good = reader.read("executors[" + std::to_string(i) + "]", &made);
    const std::string name = made.name;
    if (good && !executors->emplace(name, std::move(made)).second) {
      good = reader.fault("two executors are named '" + name + "'");
    }
    lua_pop(state, 1);
  }
  lua_settop(state, top);
  if (good) error->file.clear();
  return good;
}

}  // namespace gibbous::lua
