#include "bindings/lua/check/message_value.h"

#include <lua.hpp>
#include <string>
#include <utility>

#include "bindings/json/member.h"
#include "bindings/lua/check/content_value.h"
#include "bindings/lua/check/definition.h"

namespace gibbous::lua {
namespace {

Status wrong_message(const std::string& place, const std::string& problem) {
  return Status::error("script_error", place + ": " + problem);
}

// [.., message] -> the same
Result<Json> read_message(lua_State* state, const std::string& place) {
  static const DefinitionShape shape(
      {{"role", {{"type", "string"}, {"enum", {"user", "assistant"}}, {"default", "user"}}}}, {},
      {"content"});
  Json message = {{"role", "user"}};
  if (lua_type(state, -1) == LUA_TSTRING) {
    Result<Json> content = read_block(state, lua_gettop(state), place);
    if (!content) return content;
    message["content"] = std::move(*content);
    return message;
  }
  if (!lua_istable(state, -1)) {
    return wrong_message(place,
                         std::string("expected a string or a table { role = ..., content = ... }, "
                                     "got a ") +
                             luaL_typename(state, -1));
  }
  const Result<Json> fields = shape.read(state);
  if (!fields) return Status::error("script_error", place + "." + fields.status().message());
  message["role"] = (*fields)["role"];
  lua_getfield(state, -1, "content");
  Result<Json> content = read_block(state, lua_gettop(state), place + ".content");
  lua_pop(state, 1);
  if (!content) return content;
  message["content"] = std::move(*content);
  return message;
}

// [.., messages] -> the same
Result<Json> read_messages(lua_State* state) {
  const std::string place = "messages";
  const Result<std::size_t> count = list_size(state, "messages", kMaxMessages);
  if (!count) return wrong_message(place, count.status().message());
  if (*count == 0) return wrong_message(place, "expected at least one message");
  Json messages = Json::array();
  std::size_t bytes = 0;
  for (std::size_t i = 1; i <= *count; ++i) {
    lua_rawgeti(state, -1, static_cast<int>(i));
    Result<Json> message = read_message(state, place + "[" + std::to_string(i) + "]");
    lua_pop(state, 1);
    if (!message) return message;
    bytes += content_bytes(Json::array({(*message)["content"]}));
    messages.push_back(std::move(*message));
  }
  if (bytes <= kMaxContentBytes) return messages;
  return wrong_message(place, "expected at most " + std::to_string(kMaxContentBytes) +
                                  " bytes of text and base64 in all, got " + std::to_string(bytes) +
                                  "; give a resource_link, or a smaller part");
}

// [.., result] -> the same
Result<Json> read_table(lua_State* state) {
  static const DefinitionShape shape(
      {{"description", {{"type", "string"}, {"maxLength", kMaxDescriptionBytes}}}}, {},
      {"messages"});
  Result<Json> made = shape.read(state);
  if (!made) return made;
  lua_getfield(state, -1, "messages");
  Result<Json> messages = read_messages(state);
  lua_pop(state, 1);
  if (!messages) return messages;
  (*made)["messages"] = std::move(*messages);
  return made;
}

}  // namespace

Result<Json> read_prompt_result(lua_State* state, int index) {
  if (lua_type(state, index) == LUA_TSTRING) {
    Result<Json> content = read_block(state, index, "text");
    if (!content) return content;
    if ((*content)["text"].get_ref<const std::string&>().size() > kMaxContentBytes) {
      return wrong_message("text",
                           "expected at most " + std::to_string(kMaxContentBytes) + " bytes");
    }
    Json message = {{"role", "user"}, {"content", std::move(*content)}};
    return Json{{"messages", Json::array({std::move(message)})}};
  }
  if (!lua_istable(state, index)) {
    return wrong_message("messages",
                         std::string("expected a string, a list of messages or a table { "
                                     "messages = ... }, got a ") +
                             luaL_typename(state, index));
  }
  lua_pushvalue(state, index);
  Result<Json> made = Json::object();
  if (lua_objlen(state, -1) == 0) {
    made = read_table(state);
  } else {
    Result<Json> messages = read_messages(state);
    made = messages ? Result<Json>(Json{{"messages", std::move(*messages)}}) : messages;
  }
  lua_pop(state, 1);
  return made;
}

std::string messages_text(const Json& result) {
  std::string text;
  for (const Json& message : result["messages"]) {
    if (!text.empty()) text += '\n';
    text += text_member(message, "role") + ": " + content_text(Json::array({message["content"]}));
  }
  return text;
}

}  // namespace gibbous::lua
