#include "bindings/lua/load/prompt_reader.h"

#include <algorithm>
#include <lua.hpp>
#include <utility>

#include "bindings/lua/check/definition.h"
#include "bindings/lua/check/schema_check.h"
#include "bindings/lua/load/completion_reader.h"

namespace gibbous::lua {
namespace {

constexpr std::size_t kMaxArgumentTextBytes = 500;
constexpr std::size_t kMaxArguments = 20;

Status prompt_fault(const std::string& problem) {
  return Status::error("script_error", problem);
}

Json text_shape(std::size_t most) {
  return {{"type", "string"}, {"maxLength", most}};
}

const DefinitionShape& prompt_shape() {
  static const DefinitionShape shape(
      {{"name", name_shape()},
       {"title", text_shape(kMaxTitleBytes)},
       {"description", text_shape(kMaxDescriptionBytes)},
       {"permission", {{"type", "string"}, {"enum", kPermissions}, {"default", "read"}}},
       {"enabled", {{"type", "boolean"}, {"default", true}}}},
      {"name"}, {"arguments", "run"});
  return shape;
}

const DefinitionShape& argument_shape() {
  static const DefinitionShape shape({{"name", name_shape()},
                                      {"title", text_shape(kMaxTitleBytes)},
                                      {"description", text_shape(kMaxArgumentTextBytes)},
                                      {"optional", {{"type", "boolean"}, {"default", false}}}},
                                     {"name"}, {"complete"});
  return shape;
}

// [.., argument] -> the same
Status read_argument(lua_State* state, std::vector<PromptArgument>* into) {
  const std::string place = "arguments[" + std::to_string(into->size() + 1) + "]";
  if (!lua_istable(state, -1)) {
    return prompt_fault(place + ": expected a table { name = ... }, got a " +
                        luaL_typename(state, -1));
  }
  const Result<Json> data = argument_shape().read(state);
  if (!data) return prompt_fault(place + "." + data.status().message());
  PromptArgument made;
  made.name = (*data)["name"];
  made.title = data->value("title", "");
  made.description = data->value("description", "");
  made.optional = (*data)["optional"];
  const bool known = std::any_of(into->begin(), into->end(), [&](const PromptArgument& each) {
    return each.name == made.name;
  });
  if (known) return prompt_fault(place + ": an argument '" + made.name + "' is there already");
  lua_getfield(state, -1, "complete");
  const Status good = lua_isnil(state, -1) ? Status() : check_completion(state);
  lua_pop(state, 1);
  if (!good) return prompt_fault(place + ".complete: " + good.message());
  into->push_back(std::move(made));
  return {};
}

// [.., prompt] -> the same
Status read_arguments(lua_State* state, std::vector<PromptArgument>* into) {
  lua_getfield(state, -1, "arguments");  // [.., prompt, arguments]
  Status good;
  if (!lua_isnil(state, -1)) {
    const Result<std::size_t> count =
        list_size(state, "tables { name = ..., description = ... }", kMaxArguments);
    if (!count) good = prompt_fault("arguments: " + count.status().message());
    for (std::size_t i = 1; good && i <= *count; ++i) {
      lua_rawgeti(state, -1, static_cast<int>(i));
      good = read_argument(state, into);
      lua_pop(state, 1);
    }
  }
  lua_pop(state, 1);
  return good;
}

Status read_data(lua_State* state, PromptDefinition* made) {
  const Result<Json> data = prompt_shape().read(state);
  if (!data) return data.status();
  made->name = (*data)["name"];
  made->title = data->value("title", "");
  made->description = data->value("description", "");
  if (Status good = read_arguments(state, &made->arguments); !good) return good;
  ToolDefinition& run = made->run;
  run.name = kPromptPrefix + made->name;
  run.title = made->title;
  run.description = made->description;
  run.permission = (*data)["permission"];
  run.hidden = true;
  run.enabled = (*data)["enabled"];
  Json properties = Json::object();
  Json required = Json::array();
  for (const PromptArgument& argument : made->arguments) {
    properties[argument.name] = {{"type", "string"}};
    if (!argument.optional) required.push_back(argument.name);
  }
  run.input_schema = closed_object(std::move(properties), std::move(required));
  run.input_check = SchemaCheck::later(run.input_schema, argument_names());
  return {};
}

}  // namespace

Status check_prompt(lua_State* state) {
  PromptDefinition made;
  return read_data(state, &made);
}

Status read_prompt(lua_State* state, PromptDefinition* made) {
  if (Status good = read_data(state, made); !good) return good;
  if (Status good = take_function(state, "run", true, &made->run.run); !good) return good;
  std::vector<std::string> names;
  lua_newtable(state);
  lua_getfield(state, -2, "arguments");  // [.., prompt, completions, arguments]
  for (const PromptArgument& argument : made->arguments) {
    names.push_back(argument.name);
    lua_rawgeti(state, -1, static_cast<int>(names.size()));
    lua_getfield(state, -1, "complete");
    lua_setfield(state, -4, argument.name.c_str());
    lua_pop(state, 1);
  }
  lua_pop(state, 1);
  return take_completions(state, made->run, names, &made->complete);
}

}  // namespace gibbous::lua
