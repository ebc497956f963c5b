#include "bindings/lua/load/completion_reader.h"

#include <lua.hpp>
#include <utility>

#include "bindings/lua/check/definition.h"
#include "bindings/lua/check/schema_check.h"
#include "bindings/lua/vm/state.h"

namespace gibbous::lua {
namespace {

constexpr std::size_t kMaxListedWords = 1000;

// Words are suggested where they begin with what was typed, in any case.
constexpr const char* kComplete = R"lua(
local completions = ...
return function(args, ctx)
  local found = completions[args.argument]
  if type(found) == 'function' then
    return found(args.value, args.arguments, ctx)
  end
  local typed, fitting = args.value:lower(), {}
  for _, word in ipairs(found or {}) do
    if word:sub(1, #typed):lower() == typed then
      fitting[#fitting + 1] = word
    end
  end
  return fitting
end
)lua";

Status completion_fault(const std::string& problem) {
  return Status::error("script_error", problem);
}

}  // namespace

Status check_completion(lua_State* state) {
  if (lua_isfunction(state, -1)) return {};
  if (!lua_istable(state, -1)) {
    return completion_fault(std::string("expected a list of words or a function, got a ") +
                            luaL_typename(state, -1));
  }
  const Result<std::size_t> count = list_size(state, "words", kMaxListedWords);
  if (!count) return count.status();
  for (std::size_t i = 1; i <= *count; ++i) {
    lua_rawgeti(state, -1, static_cast<int>(i));
    const bool is_word = lua_type(state, -1) == LUA_TSTRING;
    const std::string type = luaL_typename(state, -1);
    lua_pop(state, 1);
    if (!is_word) {
      return completion_fault("expected a list of words, whose item " + std::to_string(i) +
                              " is a " + type);
    }
  }
  return {};
}

Status take_completions(lua_State* state, const ToolDefinition& of,
                        const std::vector<std::string>& names, ToolDefinition* made) {
  made->name = of.name;
  made->toolset = of.toolset;
  made->title = of.title;
  made->description = of.description;
  made->permission = of.permission;
  made->file = of.file;
  made->settings = of.settings;
  made->hidden = true;
  Json argument = {{"type", "string"}};
  if (!names.empty()) argument["enum"] = names;
  const Json strings = {{"type", "object"},
                        {"additionalProperties", {{"type", "string"}}},
                        {"default", Json::object()}};
  made->input_schema = closed_object(
      {{"argument", std::move(argument)}, {"value", {{"type", "string"}}}, {"arguments", strings}},
      {"argument", "value"});
  made->input_check = SchemaCheck::later(made->input_schema, argument_names());
  // [.., completions]
  if (!load_chunk(state, kComplete, "completions")) {
    lua_pop(state, 1);
    return completion_fault("the completions cannot be read");
  }
  lua_insert(state, -2);
  lua_call(state, 1, 1);
  made->run = LuaRef::take(state);
  return {};
}

}  // namespace gibbous::lua
