#include "bindings/lua/load/tool_reader.h"

#include <algorithm>
#include <cctype>
#include <lua.hpp>
#include <set>
#include <utility>

#include "bindings/lua/check/schema_check.h"
#include "runtime/base/nearest.h"

namespace gibbous::lua {
namespace {

constexpr std::size_t kMaxTools = 1000;
constexpr std::size_t kMaxToolsets = 200;

const std::vector<std::string> kRootKeys = {"toolsets", "optional", "on_request", "watchers",
                                            "executors"};
const std::vector<std::string> kToolsetKeys = {"name", "tools", "description", "settings"};
const std::vector<std::string> kToolKeys = {
    "name", "title",        "description", "permission", "input", "output", "annotations",
    "run",  "takes_limits", "command",     "typed",      "words", "actions"};
const std::vector<std::string> kAnnotationKeys = {"read_only", "destructive", "idempotent",
                                                  "open_world"};

bool is_name(const std::string& text) {
  return !text.empty() && text.size() <= kMaxToolNameBytes &&
         std::all_of(text.begin(), text.end(), [](char byte) {
           return std::isalnum(static_cast<unsigned char>(byte)) != 0 || byte == '_' || byte == '-';
         });
}

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Raw tables write an empty list as {}, which reads as an object; these keywords always hold lists.
void mend_empty_lists(Json* schema) {
  if (schema->is_array()) {
    for (Json& item : *schema) mend_empty_lists(&item);
  }
  if (!schema->is_object()) return;
  for (auto& [key, value] : schema->items()) {
    const bool empty = value.is_object() && value.empty();
    if (empty && (key == "required" || key == "examples")) {
      value = Json::array();
    } else if (key != "default" && key != "const" && key != "enum") {
      mend_empty_lists(&value);
    }
  }
}

// Reads one table; faults name the file and the place in it.
class ToolsetReader {
 public:
  ToolsetReader(lua_State* state, const ToolReaderOptions& options, ScriptError* error)
      : state_(state), options_(options), error_(error) {}

  bool root(std::map<std::string, ToolDefinition>* tools, std::map<std::string, LuaRef>* handlers) {
    // [root]
    const std::string init_file = options_.file_of_value(state_, -1);
    file_ = init_file;
    const char* shape = "scripts/init.lua must return { toolsets = { require 'toolsets.x', ... } }";
    if (!lua_istable(state_, -1)) return fault(std::string(shape) + ", not " + type_name(-1));
    if (!known_keys(kRootKeys, "what init.lua returns")) return false;
    lua_getfield(state_, -1, "toolsets");  // [root, toolsets]
    if (!lua_istable(state_, -1)) return fault(shape);
    const std::size_t count = lua_objlen(state_, -1);
    if (!is_list(-1, count)) return fault("toolsets must be a list without holes or names");
    if (count > kMaxToolsets)
      return fault("more than " + std::to_string(kMaxToolsets) + " toolsets");
    for (std::size_t i = 1; i <= count; ++i) {
      lua_rawgeti(state_, -1, static_cast<int>(i));  // [root, toolsets, toolset]
      if (!toolset("toolsets[" + std::to_string(i) + "]", tools)) return false;
      lua_pop(state_, 1);
      file_ = init_file;
      line_ = 0;
    }
    lua_pop(state_, 1);  // [root]
    return optional(tools) && watchers(handlers) && all_wanted_found();
  }

 private:
  bool fault(const std::string& message) {
    error_->message = message;
    error_->file = file_;
    error_->line = line_;
    return false;
  }
  std::string type_name(int index) const { return luaL_typename(state_, index); }

  bool is_list(int index, std::size_t count) const {
    const int table = index > 0 ? index : lua_gettop(state_) + index + 1;
    std::size_t seen = 0;
    lua_pushnil(state_);
    while (lua_next(state_, table) != 0) {
      lua_pop(state_, 1);
      ++seen;
    }
    return seen == count;
  }

  // Checks that the table on top has no other keys.
  bool known_keys(const std::vector<std::string>& known, const std::string& owner) {
    std::string wrong;
    lua_pushnil(state_);
    while (lua_next(state_, -2) != 0) {
      lua_pop(state_, 1);  // [..., table, key]
      // Only real strings: lua_tostring would change a number key under lua_next.
      const bool is_string = lua_type(state_, -1) == LUA_TSTRING;
      const std::string key = is_string ? lua_tostring(state_, -1) : "[" + type_name(-1) + "]";
      if (!contains(known, key)) wrong = key;
    }
    if (wrong.empty()) return true;
    const std::string near = nearest_name(wrong, known);
    return fault(
        owner + " has an unknown key '" + wrong + "'" +
        (near.empty() ? "; known are " + comma_list(known) : "; did you mean '" + near + "'?"));
  }

  // Reads a string field of the table on top.
  bool text_field(const char* key, bool required, const std::string& owner, std::string* into) {
    lua_getfield(state_, -1, key);
    const int type = lua_type(state_, -1);
    if (type == LUA_TSTRING) *into = lua_tostring(state_, -1);
    lua_pop(state_, 1);
    if (type == LUA_TNIL && !required) return true;
    if (type == LUA_TSTRING && !(required && into->empty())) return true;
    return fault(owner + "." + key + " must be a string" +
                 (type == LUA_TSTRING ? " that is not empty"
                                      : std::string(", not ") + lua_typename(state_, type)));
  }

  // Reads a boolean field of the table on top; false when it is absent.
  bool flag_field(const char* key, const std::string& owner, bool* into) {
    lua_getfield(state_, -1, key);
    const int type = lua_type(state_, -1);
    *into = lua_toboolean(state_, -1) != 0;
    lua_pop(state_, 1);
    if (type == LUA_TNIL || type == LUA_TBOOLEAN) return true;
    return fault(owner + "." + key + " must be true or false");
  }

  // { on_ready = function(event, ctx) ... end, ... }, or a list of such tables.
  bool watchers(std::map<std::string, LuaRef>* handlers) {
    lua_getfield(state_, -1, "watchers");  // [root, watchers]
    if (lua_isnil(state_, -1)) {
      lua_pop(state_, 1);
      return true;
    }
    if (!lua_istable(state_, -1)) {
      return fault("watchers must be a list of tables { on_EVENT = function }, not " +
                   type_name(-1));
    }
    const std::size_t count = lua_objlen(state_, -1);
    if (!is_list(-1, count)) {
      return fault("watchers must be a list of tables without holes or names");
    }
    const std::string init = file_;
    for (std::size_t i = 1; i <= count; ++i) {
      lua_rawgeti(state_, -1, static_cast<int>(i));  // [root, watchers, table]
      file_ = options_.file_of_value(state_, -1);
      if (file_.empty()) file_ = init;
      if (!handlers_of("watchers[" + std::to_string(i) + "]", handlers)) return false;
      lua_pop(state_, 1);
    }
    file_ = init;
    lua_pop(state_, 1);
    return true;
  }

  bool handlers_of(const std::string& place, std::map<std::string, LuaRef>* handlers) {
    if (!lua_istable(state_, -1)) {
      return fault(place + " must be a table { on_EVENT = function }, not " + type_name(-1));
    }
    lua_pushnil(state_);
    while (lua_next(state_, -2) != 0) {  // [.., table, key, value]
      const bool is_string = lua_type(state_, -2) == LUA_TSTRING;
      const std::string name = is_string ? lua_tostring(state_, -2) : "[" + type_name(-2) + "]";
      if (name.rfind("on_", 0) != 0 || name.size() == 3) {
        return fault(place + " has a key '" + name + "'; handlers are called on_EVENT");
      }
      if (!lua_isfunction(state_, -1)) {
        return fault(place + "." + name + " must be a function, not " + type_name(-1));
      }
      if (handlers->count(name) != 0) return fault("two watchers handle " + name.substr(3));
      (*handlers)[name] = LuaRef::take(state_);
    }
    return true;
  }

  // { NAME = function() return require 'toolsets.NAME' end }: read only when it is named.
  bool optional(std::map<std::string, ToolDefinition>* tools) {
    const std::string init = file_;
    const char* shape = "optional must be a table { NAME = function() return TOOLSET end }";
    lua_getfield(state_, -1, "optional");  // [root, optional]
    if (lua_isnil(state_, -1)) {
      lua_pop(state_, 1);
      lua_getfield(state_, -1, "on_request");
      if (!lua_isnil(state_, -1) && options_.on_deprecated)
        options_.on_deprecated("on_request of scripts/init.lua is deprecated: write optional");
    }
    const bool given = !lua_isnil(state_, -1);
    if (given && !lua_istable(state_, -1))
      return fault(std::string(shape) + ", not " + type_name(-1));
    if (given) lua_pushnil(state_);
    while (given && lua_next(state_, -2) != 0) {  // [.., optional, name, function]
      if (lua_type(state_, -2) != LUA_TSTRING || !lua_isfunction(state_, -1)) return fault(shape);
      if (!requested(lua_tostring(state_, -2), tools)) return false;
      lua_pop(state_, 1);
      file_ = init;
      line_ = 0;
    }
    lua_pop(state_, 1);
    return true;
  }

  bool requested(const std::string& name, std::map<std::string, ToolDefinition>* tools) {
    // [..., function]
    if (toolsets_.count(name) != 0) return fault("two toolsets are named '" + name + "'");
    if (!contains(options_.only, name)) return toolsets_.insert(name).second;
    lua_pushvalue(state_, -1);
    lua_call(state_, 0, 1);  // [..., function, toolset]
    if (!toolset("optional." + name, tools)) return false;
    lua_pop(state_, 1);
    return toolsets_.count(name) != 0 || fault("optional." + name + " gives another toolset");
  }

  bool toolset(const std::string& place, std::map<std::string, ToolDefinition>* tools) {
    // [..., toolset]
    const std::string init = file_;
    file_ = options_.file_of_value(state_, -1);
    line_ = 0;
    if (file_.empty() || !lua_istable(state_, -1)) file_ = init;
    if (!lua_istable(state_, -1)) {
      return fault(place + " must be a table { name = '...', tools = { ... } }, not " +
                   type_name(-1));
    }
    if (!known_keys(kToolsetKeys, place)) return false;
    std::string name;
    if (!text_field("name", true, place, &name)) return false;
    if (!is_name(name))
      return fault(place + ".name must be letters, digits, _ and -, not '" + name + "'");
    if (!toolsets_.insert(name).second) return fault("two toolsets are named '" + name + "'");
    const bool wanted = options_.only.empty() || contains(options_.only, name);
    Json settings;
    if (!settings_of(name, &settings)) return false;
    lua_getfield(state_, -1, "tools");  // [..., toolset, tools]
    if (!lua_istable(state_, -1))
      return fault("toolset '" + name + "': tools must be a list of tool{...}");
    const std::size_t count = lua_objlen(state_, -1);
    if (!is_list(-1, count)) {
      return fault("toolset '" + name + "': tools must be a list without holes or names");
    }
    const std::string toolset_file = file_;
    for (std::size_t i = 1; i <= count; ++i) {
      lua_rawgeti(state_, -1, static_cast<int>(i));  // [..., toolset, tools, tool]
      file_ = toolset_file;
      line_ = 0;
      const std::string tool_place = "toolset '" + name + "': tools[" + std::to_string(i) + "]";
      ToolDefinition made;
      made.toolset = name;
      made.settings = settings;
      // Checks unwanted tools as well: a filter must not hide a typing mistake.
      if (!tool(tool_place, &made) || !add(std::move(made), wanted, tools)) return false;
      lua_pop(state_, 1);
    }
    lua_pop(state_, 1);
    return true;
  }

  // The configuration's settings of a toolset, checked by the toolset's own schema.
  bool settings_of(const std::string& name, Json* into) {
    // [..., toolset]
    const bool given = options_.settings.is_object() && options_.settings.contains(name);
    lua_getfield(state_, -1, "settings");
    const bool takes = !lua_isnil(state_, -1);
    Json schema = takes ? to_json(state_, -1) : Json();
    lua_pop(state_, 1);
    if (!takes && given) {
      return wrong_setting("settings." + name + ": the toolset '" + name + "' takes no settings");
    }
    if (!takes) return true;
    mend_empty_lists(&schema);
    const auto check = SchemaCheck::compile(schema, "settings." + name);
    if (!check) return fault("toolset '" + name + "': settings: " + check.status().message());
    *into = given ? options_.settings[name] : Json::object();
    const Status good = (*check)->apply(*into);
    return good.ok() || wrong_setting(good.message());
  }

  // An error of the configuration, which no script can mend.
  bool wrong_setting(const std::string& message) {
    file_.clear();
    line_ = 0;
    error_->code = "config_invalid";
    return fault("the configuration: " + message);
  }

  // Only tools that are loaded together can clash.
  bool add(ToolDefinition made, bool wanted, std::map<std::string, ToolDefinition>* tools) {
    if (++read_ > kMaxTools) return fault("more than " + std::to_string(kMaxTools) + " tools");
    if (!wanted) return true;
    const auto first = tools->find(made.name);
    if (first != tools->end()) {
      return fault("tool '" + made.name + "' is defined twice: by toolset '" +
                   first->second.toolset + "' in " + first->second.file + " and by toolset '" +
                   made.toolset + "' in " + made.file);
    }
    tools->emplace(made.name, std::move(made));
    return true;
  }

  bool tool(const std::string& place, ToolDefinition* made) {
    // [..., tool]
    if (!lua_istable(state_, -1))
      return fault(place + " must be what tool{...} returns, not " + type_name(-1));
    made->file = file_;
    lua_getfield(state_, -1, "run");
    if (lua_isfunction(state_, -1) && lua_iscfunction(state_, -1) == 0) {
      lua_Debug info;
      lua_pushvalue(state_, -1);
      lua_getinfo(state_, ">S", &info);
      const std::string source = info.source;
      if (!source.empty() && source.front() == '@') made->file = source.substr(1);
      file_ = made->file;
      line_ = info.linedefined;
    }
    const bool callable = lua_isfunction(state_, -1);
    made->run = LuaRef::take(state_);
    std::string owner = place;
    if (!text_field("name", true, owner, &made->name)) return false;
    if (!is_name(made->name)) {
      return fault(owner + ".name must be 1 to 64 letters, digits, _ and -, not '" + made->name +
                   "'");
    }
    owner = "tool '" + made->name + "'";
    if (!known_keys(kToolKeys, owner)) return false;
    if (!callable) return fault(owner + ": run must be a function(args, ctx)");
    if (!text_field("title", false, owner, &made->title)) return false;
    if (!text_field("description", true, owner, &made->description)) return false;
    if (!text_field("permission", true, owner, &made->permission)) return false;
    if (!contains(kPermissions, made->permission)) {
      return fault(owner + ".permission must be one of " + comma_list(kPermissions) + ", not '" +
                   made->permission + "'");
    }
    if (!flag_field("takes_limits", owner, &made->takes_limits)) return false;
    if (!text_field("command", false, owner, &made->command)) return false;
    if (!text_field("typed", false, owner, &made->typed)) return false;
    if (!text_field("words", false, owner, &made->words)) return false;
    return schemas(owner, made) && annotations(owner, made) && named_arguments(owner, *made) &&
           actions(owner, made);
  }

  // { poll = 'read' }: the permission by the argument `action`.
  bool actions(const std::string& owner, ToolDefinition* made) {
    lua_getfield(state_, -1, "actions");  // [.., tool, actions]
    if (lua_istable(state_, -1)) {
      lua_pushnil(state_);
      while (lua_next(state_, -2) != 0) {  // [.., tool, actions, key, value]
        const bool texts =
            lua_type(state_, -2) == LUA_TSTRING && lua_type(state_, -1) == LUA_TSTRING;
        const std::string permission = texts ? lua_tostring(state_, -1) : "";
        if (!contains(kPermissions, permission)) {
          return fault(owner + ".actions must give the permission of actions: one of " +
                       comma_list(kPermissions));
        }
        made->actions[lua_tostring(state_, -2)] = permission;
        lua_pop(state_, 1);
      }
    }
    lua_pop(state_, 1);
    return true;
  }

  bool named_arguments(const std::string& owner, const ToolDefinition& made) {
    const Json properties = made.input_schema.value("properties", Json::object());
    for (const auto& [key, argument] :
         {std::pair("command", made.command), {"words", made.words}, {"typed", made.typed}}) {
      if (argument.empty() || properties.contains(argument)) continue;
      return fault(owner + "." + key + " must name an argument of its input, and there is no '" +
                   argument + "'");
    }
    if (made.words.empty() || !made.command.empty()) return true;
    return fault(owner + ".words needs .command: the argument that is the program");
  }

  bool schemas(const std::string& owner, ToolDefinition* made) {
    if (!schema(owner, "input", "args", &made->input_schema, &made->input_check)) return false;
    return schema(owner, "output", "result", &made->output_schema, &made->output_check);
  }

  bool schema(const std::string& owner, const char* key, const char* root, Json* into,
              std::shared_ptr<const SchemaCheck>* check) {
    const bool input = std::string(key) == "input";
    lua_getfield(state_, -1, key);
    if (!lua_isnil(state_, -1)) *into = to_json(state_, -1);
    lua_pop(state_, 1);
    if (into->is_null() && !input) return true;
    if (into->is_null() || (into->is_object() && into->empty())) {
      *into = {{"type", "object"}, {"properties", Json::object()}, {"additionalProperties", false}};
    }
    mend_empty_lists(into);
    // MCP and the model APIs accept nothing else at the top.
    const bool object = into->is_object() && into->value("type", Json()) == "object";
    if (!object) return fault(owner + "." + key + " must be a schema of type object");
    if (!into->contains("properties")) (*into)["properties"] = Json::object();
    auto compiled = SchemaCheck::compile(*into, root);
    if (!compiled) return fault(owner + "." + key + ": " + compiled.status().message());
    *check = *compiled;
    return true;
  }

  bool annotations(const std::string& owner, ToolDefinition* made) {
    const bool reads = made->permission == "read";
    std::map<std::string, bool> hints = {{"read_only", reads},
                                         {"destructive", !reads},
                                         {"idempotent", reads},
                                         {"open_world", made->permission == "execute"}};
    lua_getfield(state_, -1, "annotations");
    if (!lua_isnil(state_, -1)) {
      if (!lua_istable(state_, -1)) return fault(owner + ".annotations must be a table");
      if (!known_keys(kAnnotationKeys, owner + ".annotations")) return false;
      for (auto& [key, value] : hints) {
        lua_getfield(state_, -1, key.c_str());
        const int type = lua_type(state_, -1);
        if (type == LUA_TBOOLEAN) value = lua_toboolean(state_, -1) != 0;
        lua_pop(state_, 1);
        if (type != LUA_TNIL && type != LUA_TBOOLEAN) {
          return fault(owner + ".annotations." + key + " must be true or false");
        }
      }
    }
    lua_pop(state_, 1);
    made->annotations = {{"readOnlyHint", hints["read_only"]},
                         {"destructiveHint", hints["destructive"]},
                         {"idempotentHint", hints["idempotent"]},
                         {"openWorldHint", hints["open_world"]}};
    return true;
  }

  bool all_wanted_found() {
    for (const std::string& name : options_.only) {
      if (toolsets_.count(name) != 0) continue;
      file_.clear();
      line_ = 0;
      error_->code = "unknown_toolset";
      return fault(no_toolset(name));
    }
    if (!options_.settings.is_object()) return true;
    for (const auto& [name, values] : options_.settings.items()) {
      if (toolsets_.count(name) == 0) return wrong_setting("settings: " + no_toolset(name));
    }
    return true;
  }

  std::string no_toolset(const std::string& name) const {
    const std::vector<std::string> known(toolsets_.begin(), toolsets_.end());
    const std::string near = nearest_name(name, known);
    return "there is no toolset '" + name + "'; known are " + comma_list(known) +
           (near.empty() ? "" : "; did you mean '" + near + "'?");
  }

  lua_State* state_;
  const ToolReaderOptions& options_;
  ScriptError* error_;
  std::string file_;  // the place of a fault
  int line_ = 0;
  std::set<std::string> toolsets_;
  std::size_t read_ = 0;  // tools, wanted or not
};

}  // namespace

bool read_toolsets(lua_State* state, const ToolReaderOptions& options,
                   std::map<std::string, ToolDefinition>* tools,
                   std::map<std::string, LuaRef>* handlers, ScriptError* error) {
  const int top = lua_gettop(state);
  luaL_checkstack(state, LUA_MINSTACK, "reading toolsets");
  ToolsetReader reader(state, options, error);
  const bool good = reader.root(tools, handlers);
  lua_settop(state, top - 1);
  return good;
}

}  // namespace gibbous::lua
