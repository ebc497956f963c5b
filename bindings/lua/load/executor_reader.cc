#include "bindings/lua/load/executor_reader.h"

#include <lua.hpp>
#include <utility>

#include "bindings/lua/check/definition.h"
#include "bindings/lua/check/schema_check.h"

namespace gibbous::lua {
namespace {

constexpr std::size_t kMaxExecutors = 100;

const DefinitionShape& executor_shape() {
  static const DefinitionShape shape({{"name", {{"type", "string"}, {"minLength", 1}}},
                                      {"settings", {{"type", "object"}}},
                                      {"confines", {{"type", "boolean"}, {"default", false}}},
                                      {"remote", {{"type", "boolean"}, {"default", false}}}},
                                     {"name"}, {"prepare", "ports", "ended", "usage", "sweep"});
  return shape;
}

class ExecutorReader {
 public:
  ExecutorReader(lua_State* state, ScriptError* error) : state_(state), error_(error) {}

  // [.., executor] -> the same
  bool read(std::string place, ExecutorDefinition* made) {
    if (!lua_istable(state_, -1)) {
      return fault(place + ": expected a table { name = '...', prepare = function }, got a " +
                   luaL_typename(state_, -1));
    }
    const std::string name = peek_name(state_, "name");
    if (!name.empty()) place = "executor '" + name + "'";
    if (name == "host") return fault(place + ": runs of the host need no executor");
    Result<Json> data = executor_shape().read(state_);
    if (!data) return fault(place + ": " + data.status().message());
    made->name = name;
    made->confines = (*data)["confines"];
    made->remote = (*data)["remote"];
    return settings(place, data->value("settings", Json::object()), made) && functions(place, made);
  }

  bool fault(const std::string& message) {
    error_->message = message;
    return false;
  }

 private:
  bool settings(const std::string& place, Json schema, ExecutorDefinition* made) {
    if (schema.empty()) schema = closed_object({});
    if (!schema.contains("properties")) schema["properties"] = Json::object();
    mend_empty_lists(&schema);
    const SchemaNames names("executors." + made->name, 1);
    if (are_definitions_known(state_)) {
      made->settings = SchemaCheck::later(std::move(schema), names);
      return true;
    }
    auto compiled = SchemaCheck::compile(schema, names);
    if (!compiled) return fault(place + ": settings: " + compiled.status().message());
    made->settings = *compiled;
    return true;
  }

  bool functions(const std::string& place, ExecutorDefinition* made) {
    const std::pair<const char*, LuaRef*> all[] = {{"prepare", &made->prepare},
                                                   {"ports", &made->ports},
                                                   {"ended", &made->ended},
                                                   {"usage", &made->usage},
                                                   {"sweep", &made->sweep}};
    for (const auto& [key, into] : all) {
      const bool required = into == &made->prepare;
      if (const Status good = take_function(state_, key, required, into); !good)
        return fault(place + ": " + good.message());
    }
    return true;
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
  bool good = true;
  std::size_t count = 0;
  if (!lua_isnil(state, -1)) {
    const Result<std::size_t> size = list_size(state, "executors", kMaxExecutors);
    good = size.ok() || reader.fault("executors: " + size.status().message());
    if (good) count = *size;
  }
  for (std::size_t i = 1; good && i <= count; ++i) {
    lua_rawgeti(state, top + 1, static_cast<int>(i));
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
