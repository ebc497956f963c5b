#include "bindings/lua/call/call_result.h"

#include <algorithm>
#include <lua.hpp>
#include <utility>

#include "bindings/json/text.h"
#include "bindings/lua/call/call.h"
#include "bindings/lua/check/content_value.h"
#include "bindings/lua/check/definition.h"
#include "bindings/lua/check/message_value.h"
#include "bindings/lua/check/schema_check.h"

namespace gibbous::lua {
namespace {

constexpr const char* kToolError = "tool_error";
constexpr const char* kNoResource = "resource_not_found";
constexpr std::size_t kMaxWords = 10'000;  // of a completion
constexpr std::size_t kMostSuggested = 100;
constexpr std::size_t kMaxWordBytes = 1000;

std::string instead_of(std::string what) {
  what += "; return a string, or { text = '...', data = { ... }, content = { ... } }, or nil, err";
  return what;
}

// The values on the stack, read into C++. `fault` says what is wrong with them.
struct Returned {
  std::string text;
  bool has_text = false;
  Json data;
  Json content;  // MCP's blocks; null: none
  bool is_error = false;
  std::string code;  // nil, err
  std::string message;
  std::string fault;
};

std::string string_or_empty(lua_State* state, int index) {
  const Json value = to_json(state, index);
  return value.is_string() ? value.get<std::string>() : std::string();
}

void read_error(lua_State* state, int index, Returned* into) {
  lua_pushliteral(state, "code");
  lua_rawget(state, index);
  lua_pushliteral(state, "message");
  lua_rawget(state, index);
  lua_pushliteral(state, "data");
  lua_rawget(state, index);  // [..., code, message, data]
  if (lua_type(state, -3) != LUA_TSTRING) {
    into->fault = instead_of("returned nil and a table without a code");
    return;
  }
  into->code = string_or_empty(state, -3);
  into->message = string_or_empty(state, -2);
  if (!lua_isnil(state, -1)) into->data = to_json(state, -1);
}

void read_table(lua_State* state, int index, Returned* into) {
  for (lua_pushnil(state); lua_next(state, index) != 0; lua_pop(state, 1)) {
    const std::string key = lua_type(state, -2) == LUA_TSTRING ? lua_tostring(state, -2) : "[1]";
    if (key == "text") {
      if (lua_type(state, -1) != LUA_TSTRING) {
        into->fault = std::string("returned a text that is a ") + luaL_typename(state, -1);
        return;
      }
      into->text = string_or_empty(state, -1);
      into->has_text = true;
    } else if (key == "data") {
      if (lua_istable(state, -1)) into->data = to_json(state, -1);
      if (!into->data.is_object()) {
        into->fault = std::string("returned data that are ") +
                      (lua_istable(state, -1) ? "a list" : luaL_typename(state, -1)) +
                      "; data must be a table with names";
        return;
      }
    } else if (key == "content") {
      Result<Json> content = read_content(state, lua_gettop(state), "content");
      if (!content) {
        into->fault = "returned wrong content: " + content.status().message();
        return;
      }
      into->content = std::move(*content);
    } else if (key == "is_error") {
      if (!lua_isboolean(state, -1)) {
        into->fault = std::string("returned an is_error that is a ") + luaL_typename(state, -1);
        return;
      }
      into->is_error = lua_toboolean(state, -1) != 0;
    } else {
      into->fault = instead_of("returned a table with an unknown key '" + key + "'");
      return;
    }
  }
  if (!into->has_text && into->data.is_null() && into->content.is_null()) {
    into->fault = instead_of("returned a table without text, data and content");
  }
}

// [first, second]
void read_returned(lua_State* state, int first, Returned* into) {
  switch (lua_type(state, first)) {
    case LUA_TSTRING:
      into->text = string_or_empty(state, first);
      into->has_text = true;
      return;
    case LUA_TTABLE:
      read_table(state, first, into);
      return;
    case LUA_TNIL:
      if (lua_istable(state, first + 1)) {
        read_error(state, first + 1, into);
      } else {
        into->fault = instead_of("returned nothing");
      }
      return;
    default:
      into->fault = instead_of(std::string("returned a ") + luaL_typename(state, first));
      return;
  }
}

// [first, second] of the function of a resource. Nothing means that there is no such resource.
void read_resource(lua_State* state, int first, const Call& call, Returned* into) {
  if (lua_isnil(state, first)) {
    if (lua_istable(state, first + 1)) return read_error(state, first + 1, into);
    into->code = kNoResource;
    into->message = "there is no resource " + call.tool_name();
    return;
  }
  Result<Json> contents = read_contents(state, first, call.tool_name(), call.resource()->mime_type);
  if (!contents) {
    into->fault = "returned wrong contents: " + contents.status().message();
    return;
  }
  into->has_text = true;
  into->text = contents_text(*contents);
  into->data = {{"contents", std::move(*contents)}};
}

// [first, second] of the function of a prompt
void read_prompt(lua_State* state, int first, const Call& call, Returned* into) {
  if (lua_isnil(state, first) && lua_istable(state, first + 1)) {
    return read_error(state, first + 1, into);
  }
  Result<Json> made = read_prompt_result(state, first);
  if (!made) {
    into->fault = "returned wrong messages: " + made.status().message();
    return;
  }
  const std::string& description = call.prompt()->description;
  if (!made->contains("description") && !description.empty()) {
    (*made)["description"] = description;
  }
  into->has_text = true;
  into->text = messages_text(*made);
  into->data = std::move(*made);
}

// [first, second] of a completion: a list of words, or nothing
void read_completion(lua_State* state, int first, Returned* into) {
  if (lua_isnil(state, first) && lua_istable(state, first + 1)) {
    return read_error(state, first + 1, into);
  }
  Json values = Json::array();
  std::size_t total = 0;
  if (!lua_isnil(state, first)) {
    lua_pushvalue(state, first);
    const Result<std::size_t> count = list_size(state, "words", kMaxWords);
    lua_pop(state, 1);
    if (!count) {
      into->fault = "returned wrong words: " + count.status().message();
      return;
    }
    total = *count;
    for (std::size_t i = 1; i <= std::min(total, kMostSuggested); ++i) {
      lua_rawgeti(state, first, static_cast<int>(i));
      if (lua_type(state, -1) != LUA_TSTRING || lua_objlen(state, -1) > kMaxWordBytes) {
        into->fault = "returned words whose item " + std::to_string(i) + " is a " +
                      luaL_typename(state, -1) + "; expected a string of at most " +
                      std::to_string(kMaxWordBytes) + " bytes";
        return;
      }
      values.push_back(to_json(state, -1));
      lua_pop(state, 1);
    }
  }
  into->has_text = true;
  for (const Json& word : values) into->text += word.get_ref<const std::string&>() + "\n";
  into->data = {
      {"values", std::move(values)}, {"total", total}, {"hasMore", total > kMostSuggested}};
}

// "tool 'greet'"
std::string name_of(const Call& call) {
  if (call.resource() != nullptr) return "resource '" + call.resource()->name + "'";
  if (call.prompt() != nullptr) return "prompt '" + call.prompt()->name + "'";
  return "tool '" + call.tool().name + "'";
}

CallResult fault_result(Call& call, const std::string& message) {
  const ToolDefinition& tool = call.tool();
  Failure failure;
  failure.error.message = name_of(call) + " " + message;
  failure.error.file = tool.file;
  call.generation().state().protect(
      BudgetLimits{},
      [&](lua_State* state) {
        lua_Debug info;
        tool.run.push(state);
        lua_getinfo(state, ">S", &info);
        failure.error.line = info.linedefined;
      },
      nullptr);
  return failed_result(failure);
}

// The content begins with the text, and the text says what else the content holds.
void take_text(Returned returned, CallResult* result) {
  if (!returned.content.is_null() && !returned.content.empty()) {
    if (!returned.text.empty()) {
      Json text = {{"type", "text"}, {"text", std::move(returned.text)}};
      returned.content.insert(returned.content.begin(), std::move(text));
    }
    result->content = to_text(returned.content);
    result->text = content_text(returned.content);
  } else if (returned.has_text || returned.data.is_null()) {
    result->text = std::move(returned.text);
  } else {
    result->text = result->data;
  }
  if (!returned.is_error) return;
  result->ok = false;
  result->structured = false;
  result->code = kToolError;
  result->message = std::exchange(result->text, std::string());
}

}  // namespace

CallResult failed_result(const Failure& failure) {
  CallResult result;
  result.code = failure.error.code;
  if (failure.coded) {
    result.message = failure.error.message;
    if (!failure.data.is_null()) result.data = to_text(failure.data);
    return result;
  }
  result.message = failure.error.text();
  result.traceback = result.message;
  if (!failure.error.traceback.empty()) result.traceback += "\n" + failure.error.traceback;
  return result;
}

CallResult returned_result(Call& call, Task& root) {
  Returned returned;
  ScriptError error;
  BudgetLimits limits;
  limits.total = std::max(call.lua_left(), Nanos{1});
  limits.granted = call.limits().call_lua;
  limits.processor = true;
  limits.hold = call.limits().hold;
  const bool read = call.generation().state().protect(
      limits,
      [&](lua_State* state) {
        // [first, second]: the root's results, which are on its coroutine. One slot is free there.
        const int first = lua_gettop(state) + 1;
        for (int index = 1; index <= 2; ++index) {
          if (index <= root.result_count()) {
            lua_pushvalue(root.coroutine(), index);
            lua_xmove(root.coroutine(), state, 1);
          } else {
            lua_pushnil(state);
          }
        }
        switch (call.kind()) {
          case CallKind::kTool:
            return read_returned(state, first, &returned);
          case CallKind::kResource:
            return read_resource(state, first, call, &returned);
          case CallKind::kPrompt:
            return read_prompt(state, first, call, &returned);
          case CallKind::kPromptCompletion:
          case CallKind::kResourceCompletion:
            return read_completion(state, first, &returned);
        }
      },
      &error);
  if (!read) {
    if (error.code == "script_error") {
      return fault_result(call, "returned a value that JSON cannot represent: " + error.message);
    }
    Failure failure;
    failure.error = std::move(error);
    return failed_result(failure);
  }
  if (!returned.fault.empty()) return fault_result(call, returned.fault);

  CallResult result;
  if (!returned.code.empty()) {
    result.code = returned.code;
    result.message = returned.message;
    if (!returned.data.is_null()) result.data = to_text(returned.data);
    return result;
  }
  const ToolDefinition& tool = call.tool();
  // An error has no promise to keep.
  if (tool.output_check && !returned.is_error) {
    if (returned.data.is_null()) {
      return fault_result(call, "returned no data, although it declares an output schema");
    }
    if (const Status fits = tool.output_check->apply(returned.data); !fits) {
      return fault_result(call,
                          "returned data that do not fit its output schema: " + fits.message());
    }
  }
  result.ok = true;
  result.structured = tool.structured;
  if (!returned.data.is_null()) result.data = to_text(returned.data);
  take_text(std::move(returned), &result);
  return result;
}

}  // namespace gibbous::lua
