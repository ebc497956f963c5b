#include "bindings/lua/load/tool_reader.h"

#include <algorithm>
#include <functional>
#include <lua.hpp>
#include <set>
#include <utility>

#include "bindings/lua/check/definition.h"
#include "bindings/lua/check/schema_check.h"
#include "bindings/lua/load/host_tools.h"
#include "bindings/lua/load/prompt_reader.h"
#include "bindings/lua/load/resource_reader.h"
#include "runtime/base/nearest.h"

namespace gibbous::lua {
namespace {

constexpr std::size_t kMaxTools = 1000;
constexpr std::size_t kMaxResources = 500;
constexpr std::size_t kMaxPrompts = 500;
constexpr std::size_t kMaxToolsets = 200;
constexpr std::size_t kMaxWatchers = 1000;
constexpr int kMaxTaskAfterMs = 3'600'000;

const DefinitionShape& root_shape() {
  static const DefinitionShape shape(
      Json::object(), {"toolsets"},
      {"toolsets", "optional", "on_request", "watchers", "executors"});
  return shape;
}

const DefinitionShape& toolset_shape() {
  static const DefinitionShape shape({{"name", name_shape()},
                                      {"description", {{"type", "string"}}},
                                      {"settings", {{"type", "object"}}}},
                                     {"name"}, {"tools", "resources", "prompts"});
  return shape;
}

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Reads one table; faults name the file and the place in it.
class ToolsetReader {
 public:
  ToolsetReader(lua_State* state, const ToolReaderOptions& options, Offered* offered,
                ScriptError* error)
      : state_(state), options_(options), offered_(*offered), error_(error) {}

  bool root() {
    // [root]
    const std::string init_file = options_.file_of_value(state_, -1);
    file_ = init_file;
    const char* shape = "scripts/init.lua must return { toolsets = { require 'toolsets.x', ... } }";
    if (!lua_istable(state_, -1)) return fault(std::string(shape) + ", not " + type_name(-1));
    if (!read_definition(root_shape(), "what init.lua returns", nullptr)) return false;
    lua_getfield(state_, -1, "toolsets");  // [root, toolsets]
    if (!lua_istable(state_, -1)) return fault(shape);
    std::size_t count = 0;
    if (!list("toolsets", "toolsets", kMaxToolsets, &count)) return false;
    for (std::size_t i = 1; i <= count; ++i) {
      lua_rawgeti(state_, -1, static_cast<int>(i));  // [root, toolsets, toolset]
      if (!toolset("toolsets[" + std::to_string(i) + "]")) return false;
      lua_pop(state_, 1);
      file_ = init_file;
      line_ = 0;
    }
    lua_pop(state_, 1);  // [root]
    return optional() && watchers() && all_wanted_found();
  }

 private:
  bool fault(const std::string& message) {
    error_->message = message;
    error_->file = file_;
    error_->line = line_;
    return false;
  }
  std::string type_name(int index) const { return luaL_typename(state_, index); }

  // The value on top, which faults call `place`, is a list of at most `most` items.
  bool list(const std::string& place, const std::string& items, std::size_t most,
            std::size_t* count) {
    const Result<std::size_t> size = list_size(state_, items, most);
    if (!size) return fault(place + ": " + size.status().message());
    *count = *size;
    return true;
  }

  // Reads the data of the table on top; `into` may be null.
  bool read_definition(const DefinitionShape& shape, const std::string& owner, Json* into) {
    Result<Json> data = shape.read(state_);
    if (!data) return fault(owner + ": " + data.status().message());
    if (into != nullptr) *into = std::move(*data);
    return true;
  }

  // { on_ready = function(event, ctx) ... end, ... }, or a list of such tables.
  bool watchers() {
    lua_getfield(state_, -1, "watchers");  // [root, watchers]
    if (lua_isnil(state_, -1)) {
      lua_pop(state_, 1);
      return true;
    }
    std::size_t count = 0;
    if (!list("watchers", "tables { on_EVENT = function }", kMaxWatchers, &count)) return false;
    const std::string init = file_;
    for (std::size_t i = 1; i <= count; ++i) {
      lua_rawgeti(state_, -1, static_cast<int>(i));  // [root, watchers, table]
      file_ = options_.file_of_value(state_, -1);
      if (file_.empty()) file_ = init;
      if (!handlers_of("watchers[" + std::to_string(i) + "]")) return false;
      lua_pop(state_, 1);
    }
    file_ = init;
    lua_pop(state_, 1);
    return true;
  }

  bool handlers_of(const std::string& place) {
    if (!lua_istable(state_, -1)) {
      return fault(place + ": expected a table { on_EVENT = function }, got a " + type_name(-1));
    }
    lua_pushnil(state_);
    while (lua_next(state_, -2) != 0) {  // [.., table, key, value]
      const bool is_string = lua_type(state_, -2) == LUA_TSTRING;
      const std::string name = is_string ? lua_tostring(state_, -2) : "[" + type_name(-2) + "]";
      if (name.rfind("on_", 0) != 0 || name.size() == 3) {
        return fault(place + " has a key '" + name + "'; handlers are called on_EVENT");
      }
      if (!lua_isfunction(state_, -1)) {
        return fault(place + "." + name + ": expected a function, got a " + type_name(-1));
      }
      if (offered_.handlers.count(name) != 0) {
        return fault("two watchers handle " + name.substr(3));
      }
      offered_.handlers[name] = LuaRef::take(state_);
    }
    return true;
  }

  // { NAME = function() return require 'toolsets.NAME' end }: read only when it is named.
  bool optional() {
    const std::string init = file_;
    const char* shape = "optional: expected a table { NAME = function() return TOOLSET end }";
    lua_getfield(state_, -1, "optional");  // [root, optional]
    const bool given = !lua_isnil(state_, -1);
    if (given && !lua_istable(state_, -1))
      return fault(std::string(shape) + ", got a " + type_name(-1));
    if (given) lua_pushnil(state_);
    while (given && lua_next(state_, -2) != 0) {  // [.., optional, name, function]
      if (lua_type(state_, -2) != LUA_TSTRING || !lua_isfunction(state_, -1)) return fault(shape);
      if (!requested(lua_tostring(state_, -2))) return false;
      lua_pop(state_, 1);
      file_ = init;
      line_ = 0;
    }
    lua_pop(state_, 1);
    return true;
  }

  bool requested(const std::string& name) {
    // [..., function]
    if (toolsets_.count(name) != 0) return fault("two toolsets are named '" + name + "'");
    if (!contains(options_.only, name)) return toolsets_.insert(name).second;
    lua_pushvalue(state_, -1);
    lua_call(state_, 0, 1);  // [..., function, toolset]
    if (!toolset("optional." + name)) return false;
    lua_pop(state_, 1);
    return toolsets_.count(name) != 0 || fault("optional." + name + " returns another toolset");
  }

  bool toolset(const std::string& place) {
    // [..., toolset]
    const std::string init = file_;
    file_ = options_.file_of_value(state_, -1);
    line_ = 0;
    if (file_.empty() || !lua_istable(state_, -1)) file_ = init;
    if (!lua_istable(state_, -1)) {
      return fault(place + ": expected a table { name = '...', tools = { ... } }, got a " +
                   type_name(-1));
    }
    Json data;
    if (!read_definition(toolset_shape(), place, &data)) return false;
    const std::string name = data["name"];
    if (!toolsets_.insert(name).second) return fault("two toolsets are named '" + name + "'");
    const bool wanted = options_.only.empty() || contains(options_.only, name);
    Json settings;
    if (!settings_of(name, data.value("settings", Json()), &settings)) return false;
    return tools_of(name, wanted, settings) && resources_of(name, wanted, settings) &&
           prompts_of(name, wanted, settings) &&
           (has_field("tools") || has_field("resources") || has_field("prompts") ||
            fault("toolset '" + name + "': expected tools, resources or prompts"));
  }

  // [..., toolset]
  bool has_field(const char* key) {
    lua_getfield(state_, -1, key);
    const bool there = !lua_isnil(state_, -1);
    lua_pop(state_, 1);
    return there;
  }

  // Calls `read` for each item of a list of the toolset on top, with the item on top and its place.
  bool each(const std::string& toolset, const char* key, const char* items, std::size_t most,
            const std::function<bool(const std::string& place)>& read) {
    if (!has_field(key)) return true;
    const std::string place = "toolset '" + toolset + "': " + key;
    const std::string toolset_file = file_;
    lua_getfield(state_, -1, key);  // [..., toolset, list]
    std::size_t count = 0;
    if (!list(place, items, most, &count)) return false;
    for (std::size_t i = 1; i <= count; ++i) {
      lua_rawgeti(state_, -1, static_cast<int>(i));  // [..., toolset, list, item]
      file_ = toolset_file;
      line_ = 0;
      if (!read(place + "[" + std::to_string(i) + "]")) return false;
      lua_pop(state_, 1);
    }
    file_ = toolset_file;
    line_ = 0;
    lua_pop(state_, 1);
    return true;
  }

  bool tools_of(const std::string& toolset, bool wanted, const Json& settings) {
    return each(toolset, "tools", "tool{...}", kMaxTools, [&](const std::string& place) {
      ToolDefinition made;
      made.toolset = toolset;
      made.settings = settings;
      // Checks unwanted tools as well: a filter must not hide a typing mistake.
      return tool(place, &made) && add(std::move(made), wanted);
    });
  }

  bool resources_of(const std::string& toolset, bool wanted, const Json& settings) {
    return each(toolset, "resources", "resource{...}", kMaxResources,
                [&](const std::string& place) {
                  ResourceDefinition made;
                  made.read.toolset = toolset;
                  made.read.settings = settings;
                  return read_one("resource", "read", read_resource, place,
                                  &ResourceDefinition::read, &made) &&
                         add(std::move(made), wanted);
                });
  }

  bool prompts_of(const std::string& toolset, bool wanted, const Json& settings) {
    return each(toolset, "prompts", "prompt{...}", kMaxPrompts, [&](const std::string& place) {
      PromptDefinition made;
      made.run.toolset = toolset;
      made.run.settings = settings;
      return read_one("prompt", "run", read_prompt, place, &PromptDefinition::run, &made) &&
             add(std::move(made), wanted);
    });
  }

  // [..., definition]. Reads a "prompt" or "resource", whose `function` is what is called.
  template <typename Definition>
  bool read_one(const std::string& kind, const char* function,
                Status (*read)(lua_State*, Definition*), const std::string& place,
                ToolDefinition Definition::*called, Definition* made) {
    if (!lua_istable(state_, -1))
      return fault(place + ": expected what " + kind + "{...} returns, got a " + type_name(-1));
    (made->*called).file = locate(function);
    const std::string name = peek_name(state_, "name");
    const Status good = read(state_, made);
    return good.ok() ||
           fault((name.empty() ? place : kind + " '" + name + "'") + ": " + good.message());
  }

  bool add(PromptDefinition made, bool wanted) {
    if (++prompts_ > kMaxPrompts)
      return fault("more than " + std::to_string(kMaxPrompts) + " prompts");
    if (!wanted) return true;
    const auto first = offered_.prompts.find(made.name);
    if (first != offered_.prompts.end()) {
      return fault("prompt '" + made.name + "' is defined twice: in " + first->second.run.file +
                   " and in " + made.run.file);
    }
    std::string name = made.name;
    offered_.prompts.emplace(std::move(name), std::move(made));
    return true;
  }

  bool add(ResourceDefinition made, bool wanted) {
    if (++resources_ > kMaxResources)
      return fault("more than " + std::to_string(kMaxResources) + " resources");
    if (!wanted) return true;
    for (const auto& [uri, other] : offered_.resources) {
      const char* same = uri == made.uri ? "uri" : other.name == made.name ? "name" : nullptr;
      if (same == nullptr) continue;
      return fault("resource '" + made.name + "' has the " + same + " of resource '" + other.name +
                   "' in " + other.read.file);
    }
    std::string uri = made.uri;
    offered_.resources.emplace(std::move(uri), std::move(made));
    return true;
  }

  // The configuration's settings of a toolset, checked by the toolset's own schema.
  bool settings_of(const std::string& name, Json schema, Json* into) {
    const bool given = options_.settings.is_object() && options_.settings.contains(name);
    if (schema.is_null()) {
      return !given ||
             wrong_setting("settings." + name + ": the toolset '" + name + "' takes no settings");
    }
    mend_empty_lists(&schema);
    const auto check = SchemaCheck::compile(schema, {"settings." + name, 1});
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
  bool add(ToolDefinition made, bool wanted) {
    if (++read_ > kMaxTools) return fault("more than " + std::to_string(kMaxTools) + " tools");
    if (!wanted) return true;
    const auto first = offered_.tools.find(made.name);
    if (first != offered_.tools.end()) {
      return fault("tool '" + made.name + "' is defined twice: by toolset '" +
                   first->second.toolset + "' in " + first->second.file + " and by toolset '" +
                   made.toolset + "' in " + made.file);
    }
    if (made.hidden && made.toolset != kHostFunctions) {
      return fault("tool '" + made.name + "': expected a name of letters, digits, _ and -");
    }
    offered_.tools.emplace(made.name, std::move(made));
    return true;
  }

  // [..., definition]. Faults are where its function is from now on. Returns the file.
  std::string locate(const char* key) {
    lua_getfield(state_, -1, key);
    if (lua_isfunction(state_, -1) && lua_iscfunction(state_, -1) == 0) {
      lua_Debug info;
      lua_pushvalue(state_, -1);
      lua_getinfo(state_, ">S", &info);
      const std::string source = info.source;
      if (!source.empty() && source.front() == '@') file_ = source.substr(1);
      line_ = info.linedefined;
    }
    lua_pop(state_, 1);
    return file_;
  }

  bool tool(const std::string& place, ToolDefinition* made) {
    // [..., tool]
    if (!lua_istable(state_, -1))
      return fault(place + ": expected what tool{...} returns, got a " + type_name(-1));
    made->file = locate("run");
    made->name = peek_name(state_, "name");
    const std::string owner = made->name.empty() ? place : "tool '" + made->name + "'";
    Json data;
    if (!read_definition(tool_shape(), owner, &data)) return false;
    if (const Status good = take_function(state_, "run", true, &made->run); !good)
      return fault(owner + ": " + good.message());
    made->hidden = made->name.rfind(kHostPrefix, 0) == 0;
    made->title = data.value("title", "");
    made->description = data["description"];
    made->permission = data["permission"];
    made->structured = data["structured"];
    made->task = task_use(data.value("task", Json()));
    made->takes_limits = data["takes_limits"];
    made->asks = data.value("asks", made->asks);
    made->enabled = data["enabled"];
    made->command = data.value("command", "");
    made->typed = data.value("typed", "");
    made->words = data.value("words", "");
    made->actions = data.value("actions", made->actions);
    if (const Json as = data.value("judged_as", Json()); as.is_string()) {
      made->judged_as[""] = as;
    } else if (as.is_object()) {
      made->judged_as = as;
    }
    made->annotations = annotations(made->permission, data.value("annotations", Json::object()));
    made->input_schema = data.value("input", Json::object());
    name_shell(made);
    made->output_schema = data.value("output", Json());
    return schema(owner + ": input", argument_names(), &made->input_schema, &made->input_check) &&
           schema(owner + ": output", "result", &made->output_schema, &made->output_check) &&
           named_arguments(owner, *made);
  }

  void name_shell(ToolDefinition* made) const {
    const auto name = [this](std::string* text) {
      const std::size_t at = text->find(kShellWord);
      if (at != std::string::npos) text->replace(at, kShellWord.size(), options_.shell_word);
    };
    name(&made->description);
    if (!made->input_schema.contains("properties")) return;
    for (Json& property : made->input_schema["properties"]) {
      const auto found = property.find("description");
      if (found != property.end()) name(found->get_ptr<std::string*>());
    }
  }

  bool named_arguments(const std::string& owner, const ToolDefinition& made) {
    const Json properties = made.input_schema.value("properties", Json::object());
    for (const auto& [key, argument] :
         {std::pair("command", made.command), {"words", made.words}, {"typed", made.typed}}) {
      if (argument.empty() || properties.contains(argument)) continue;
      return fault(owner + ": " + key + ": expected the name of an argument of its input, got '" +
                   argument + "'");
    }
    if (made.words.empty() || !made.command.empty()) return true;
    return fault(owner + ": words needs command: the argument that is the program");
  }

  // Completes a schema and compiles it; null stays null.
  bool schema(const std::string& place, const SchemaNames& names, Json* into,
              std::shared_ptr<const SchemaCheck>* check) {
    if (into->is_null()) return true;
    if (into->empty()) *into = closed_object({});
    mend_empty_lists(into);
    // MCP and the model APIs accept nothing else at the top.
    if (into->value("type", Json()) != "object")
      return fault(place + ": expected a schema of type object");
    if (!into->contains("properties")) (*into)["properties"] = Json::object();
    if (are_definitions_known(state_)) {
      *check = SchemaCheck::later(*into, names);
      return true;
    }
    auto compiled = SchemaCheck::compile(*into, names);
    if (!compiled) return fault(place + ": " + compiled.status().message());
    *check = *compiled;
    return true;
  }

  static TaskUse task_use(const Json& given) {
    TaskUse use;
    if (given == "never") use.kind = TaskUse::Kind::kNever;
    if (given == "required") use.kind = TaskUse::Kind::kRequired;
    if (given.is_number()) use.after = std::chrono::milliseconds(given.get<std::int64_t>());
    return use;
  }

  static Json annotations(const std::string& permission, const Json& given) {
    const bool reads = permission == "read";
    return {{"readOnlyHint", given.value("read_only", reads)},
            {"destructiveHint", given.value("destructive", !reads)},
            {"idempotentHint", given.value("idempotent", reads)},
            {"openWorldHint", given.value("open_world", permission == "execute")}};
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
    std::vector<std::string> known(toolsets_.begin(), toolsets_.end());
    known.erase(std::remove(known.begin(), known.end(), kHostFunctions), known.end());
    const std::string near = nearest_name(name, known);
    return "there is no toolset '" + name + "'; known are " + comma_list(known) +
           (near.empty() ? "" : "; did you mean '" + near + "'?");
  }

  lua_State* state_;
  const ToolReaderOptions& options_;
  Offered& offered_;
  ScriptError* error_;
  std::string file_;  // the place of a fault
  int line_ = 0;
  std::set<std::string> toolsets_;
  std::size_t read_ = 0;       // tools, wanted or not
  std::size_t resources_ = 0;  // the same
  std::size_t prompts_ = 0;    // the same
};

}  // namespace

// Only functions of the host have a dot in their name: host.NAME.
Json tool_name_shape() {
  Json shape = name_shape();
  shape["pattern"] = "^(host\\.)?[A-Za-z0-9_-]+$";
  return shape;
}

const DefinitionShape& tool_shape() {
  const Json text = {{"type", "string"}};
  const Json filled = {{"type", "string"}, {"minLength", 1}};
  const Json flag = {{"type", "boolean"}};
  const Json permission = {{"type", "string"}, {"enum", kPermissions}};
  static const DefinitionShape shape(
      {{"name", tool_name_shape()},
       {"title", text},
       {"description", filled},
       {"permission", permission},
       {"input", {{"type", "object"}}},
       {"output", {{"type", "object"}}},
       {"annotations", closed_object({{"read_only", flag},
                                      {"destructive", flag},
                                      {"idempotent", flag},
                                      {"open_world", flag}})},
       {"structured", {{"type", "boolean"}, {"default", false}}},
       {"task",
        {{"oneOf",
          {{{"type", "string"}, {"enum", {"never", "required"}}},
           {{"type", "number"}, {"minimum", 0}, {"maximum", kMaxTaskAfterMs}}}}}},
       {"takes_limits", {{"type", "boolean"}, {"default", false}}},
       {"asks",
        {{"type", "array"},
         {"items", {{"type", "string"}, {"enum", kAskKinds}}},
         {"uniqueItems", true}}},
       {"enabled", {{"type", "boolean"}, {"default", true}}},
       {"command", text},
       {"typed", text},
       {"words", text},
       // The permission by the argument `action`: { poll = 'read' }.
       {"actions", {{"type", "object"}, {"additionalProperties", permission}}},
       // A tool, or tools by the argument `action`: { stop = 'bg_kill' }.
       {"judged_as",
        {{"oneOf", {filled, {{"type", "object"}, {"additionalProperties", filled}}}}}}},
      {"name", "description", "permission"}, {"run"});
  return shape;
}

bool read_toolsets(lua_State* state, const ToolReaderOptions& options, Offered* offered,
                   ScriptError* error) {
  const int top = lua_gettop(state);
  luaL_checkstack(state, LUA_MINSTACK, "reading toolsets");
  ToolsetReader reader(state, options, offered, error);
  const bool good = reader.root();
  lua_settop(state, top - 1);
  return good;
}

}  // namespace gibbous::lua
