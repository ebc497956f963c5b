#include "bindings/lua/load/resource_reader.h"

#include <algorithm>
#include <lua.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "bindings/lua/check/content_value.h"
#include "bindings/lua/check/definition.h"
#include "bindings/lua/check/schema_check.h"
#include "bindings/lua/check/uri_template.h"
#include "bindings/lua/load/completion_reader.h"

namespace gibbous::lua {
namespace {

constexpr std::string_view kRuns = "gibbous:";  // the server's own resources

Status resource_fault(const std::string& problem) {
  return Status::error("script_error", problem);
}

// Takes the URI, or the template and its variables as arguments.
Status take_uri(const Json& data, ResourceDefinition* made) {
  const bool has_uri = data.contains("uri");
  if (has_uri == data.contains("uri_template"))
    return resource_fault("expected uri or uri_template");
  const std::string key = has_uri ? "uri" : "uri_template";
  made->uri = data[key];
  if (made->uri.rfind(kRuns, 0) == 0) {
    return resource_fault(key + ": \"gibbous:\" belongs to Gibbous; take another scheme");
  }
  Json properties = Json::object();
  Json required = Json::array();
  if (!has_uri) {
    auto pattern = UriTemplate::compile(made->uri);
    if (!pattern) return resource_fault(key + ": " + pattern.status().message());
    made->pattern = std::move(*pattern);
    for (const std::string& variable : made->pattern->variables()) {
      properties[variable] = {{"type", "string"}};
      required.push_back(variable);
    }
  }
  made->read.input_schema = closed_object(std::move(properties), std::move(required));
  made->read.input_check = SchemaCheck::later(made->read.input_schema, argument_names());
  return {};
}

}  // namespace

const DefinitionShape& resource_shape() {
  static const DefinitionShape shape(
      {{"name", name_shape()},
       {"title", {{"type", "string"}, {"maxLength", kMaxTitleBytes}}},
       {"description", {{"type", "string"}, {"maxLength", kMaxDescriptionBytes}}},
       {"uri", uri_shape()},
       {"uri_template", {{"type", "string"}}},
       {"mime_type", mime_type_shape()},
       {"size", {{"type", "integer"}, {"minimum", 0}}},
       {"annotations", annotations_shape()},
       {"permission", {{"type", "string"}, {"enum", kPermissions}, {"default", "read"}}}},
      {"name"}, {"read", "complete"});
  return shape;
}

namespace {

// [.., resource] -> the same. Checks `complete`.
Status check_variables(lua_State* state, const ResourceDefinition& made) {
  lua_getfield(state, -1, "complete");  // [.., resource, complete]
  Status good;
  if (!lua_isnil(state, -1) && !lua_istable(state, -1)) {
    good = resource_fault("complete: expected a table { VARIABLE = ... }");
  } else if (lua_istable(state, -1)) {
    std::vector<std::string> known;
    if (made.pattern != nullptr) known = made.pattern->variables();
    for (lua_pushnil(state); good && lua_next(state, -2) != 0; lua_pop(state, 1)) {
      const std::string name = lua_type(state, -2) == LUA_TSTRING ? lua_tostring(state, -2) : "[1]";
      if (std::find(known.begin(), known.end(), name) == known.end()) {
        good = resource_fault("complete." + name + ": the URI has no such variable");
      } else if (Status fine = check_completion(state); !fine) {
        good = resource_fault("complete." + name + ": " + fine.message());
      }
      if (!good) {
        lua_pop(state, 2);
        break;
      }
    }
  }
  lua_pop(state, 1);
  return good;
}

Status read_data(lua_State* state, ResourceDefinition* made) {
  Result<Json> read = resource_shape().read(state);
  if (!read) return read.status();
  const Json& data = *read;
  made->name = data["name"];
  made->title = data.value("title", "");
  made->description = data.value("description", "");
  made->mime_type = data.value("mime_type", "");
  if (data.contains("size")) made->size = data["size"].get<std::uint64_t>();
  if (data.contains("annotations")) made->annotations = mcp_annotations(data["annotations"]);
  if (Status good = take_uri(data, made); !good) return good;
  made->read.name = kResourcePrefix + made->name;
  made->read.title = made->title;
  made->read.description = made->description;
  made->read.permission = data["permission"];
  made->read.hidden = true;
  return check_variables(state, *made);
}

}  // namespace

Status check_resource(lua_State* state) {
  ResourceDefinition made;
  return read_data(state, &made);
}

Status read_resource(lua_State* state, ResourceDefinition* made) {
  if (Status good = read_data(state, made); !good) return good;
  if (Status good = take_function(state, "read", true, &made->read.run); !good) return good;
  if (made->pattern == nullptr) return {};
  lua_newtable(state);
  lua_getfield(state, -2, "complete");  // [.., resource, completions, complete]
  if (lua_istable(state, -1)) {
    for (const std::string& variable : made->pattern->variables()) {
      lua_getfield(state, -1, variable.c_str());
      lua_setfield(state, -3, variable.c_str());
    }
  }
  lua_pop(state, 1);
  return take_completions(state, made->read, made->pattern->variables(), &made->complete);
}

}  // namespace gibbous::lua
