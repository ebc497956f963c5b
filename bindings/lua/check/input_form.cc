#include "bindings/lua/check/input_form.h"

#include <array>
#include <lua.hpp>
#include <utility>

#include "bindings/json/member.h"
#include "bindings/lua/check/definition.h"
#include "bindings/lua/check/message_value.h"

namespace gibbous::lua {
namespace {

constexpr std::size_t kMaxQuestionBytes = 8000;
constexpr std::size_t kMaxFields = 50;
constexpr std::int64_t kMaxTokens = 1'000'000;
constexpr std::size_t kMaxStops = 16;

constexpr const char* kFieldKinds =
    "expected a string, number, integer, boolean, or a list of strings with an enum";

Status form_fault(const std::string& problem) {
  return Status::error("script_error", problem);
}

// MCP lets a form have these keywords alone.
constexpr std::array kFormKeywords = {
    "type",      "title",     "description", "default", "enum",  "enumNames", "oneOf",   "format",
    "minLength", "maxLength", "minimum",     "maximum", "items", "minItems",  "maxItems"};

bool is_choice(const Json& schema) {
  return schema.contains("enum") || schema.contains("oneOf") || schema.contains("anyOf");
}

// Returns the schema of a field as a form may have it. The answer is checked by all of it.
Result<Json> form_field(const std::string& name, const Json& schema) {
  const std::string type = text_member(schema, "type");
  const bool is_list = type == "array";
  const Json items = schema.value("items", Json::object());
  const bool is_plain = type == "string" || type == "number" || type == "integer" ||
                        type == "boolean" || (type.empty() && schema.contains("oneOf"));
  if (!is_plain && !(is_list && is_choice(items))) {
    return form_fault("form." + name + ": " + kFieldKinds);
  }
  Json made = Json::object();
  for (const char* keyword : kFormKeywords) {
    if (schema.contains(keyword)) made[keyword] = schema[keyword];
  }
  if (type.empty()) made["type"] = "string";
  return made;
}

Result<Json> form_schema(Json form) {
  mend_empty_lists(&form);
  if (text_member(form, "type") != "object") {
    return form_fault("form: expected schema.object { ... }");
  }
  const Json properties = form.value("properties", Json::object());
  if (properties.size() > kMaxFields) {
    return form_fault("form: expected at most " + std::to_string(kMaxFields) + " fields");
  }
  Json made = {{"type", "object"}, {"properties", Json::object()}};
  for (const auto& [name, schema] : properties.items()) {
    Result<Json> field = form_field(name, schema);
    if (!field) return field;
    made["properties"][name] = std::move(*field);
  }
  const Json required = form.value("required", Json::array());
  if (!required.empty()) made["required"] = required;
  return made;
}

}  // namespace

Result<InputForm> read_form(lua_State* state, int index) {
  static const DefinitionShape shape(
      {{"message", {{"type", "string"}, {"minLength", 1}, {"maxLength", kMaxQuestionBytes}}},
       {"form", {{"type", "object"}}},
       {"key", name_shape()}},
      {"message"}, {});
  lua_pushvalue(state, index);
  Result<Json> options = shape.read(state);
  lua_pop(state, 1);
  if (!options) return options.status();
  const Json form = options->value("form", Json{{"type", "object"}});
  Result<Json> schema = form_schema(form);
  if (!schema) return schema.status();
  Json whole = form;
  mend_empty_lists(&whole);
  auto check = SchemaCheck::compile(whole, {"answer", 1});
  if (!check) return form_fault("form: " + check.status().message());
  InputForm made;
  made.kind = "elicitation";
  made.key = options->value("key", "");
  made.params = {{"message", (*options)["message"]}, {"requestedSchema", std::move(*schema)}};
  made.check = std::move(*check);
  return made;
}

Result<InputForm> read_sampling(lua_State* state, int index) {
  static const DefinitionShape shape(
      {{"max_tokens", {{"type", "integer"}, {"minimum", 1}, {"maximum", kMaxTokens}}},
       {"system", {{"type", "string"}}},
       {"temperature", {{"type", "number"}, {"minimum", 0}}},
       {"stop", {{"type", "array"}, {"items", {{"type", "string"}}}, {"maxItems", kMaxStops}}},
       {"key", name_shape()}},
      {"max_tokens"}, {"messages"});
  lua_pushvalue(state, index);
  const Result<Json> options = shape.read(state);
  lua_getfield(state, -1, "messages");  // [.., options, messages]
  Result<Json> messages = read_prompt_result(state, lua_gettop(state));
  lua_pop(state, 2);
  if (!options) return options.status();
  if (!messages) return messages.status();
  InputForm made;
  made.kind = "sampling";
  made.key = options->value("key", "");
  made.params = {{"messages", (*messages)["messages"]}, {"maxTokens", (*options)["max_tokens"]}};
  for (const auto& [ours, theirs] :
       {std::pair("system", "systemPrompt"), std::pair("temperature", "temperature"),
        std::pair("stop", "stopSequences")}) {
    if (options->contains(ours)) made.params[theirs] = (*options)[ours];
  }
  return made;
}

Result<InputForm> read_roots(lua_State* state, int index) {
  static const DefinitionShape shape({{"key", name_shape()}}, {}, {});
  lua_pushvalue(state, index);
  const Result<Json> options = shape.read(state);
  lua_pop(state, 1);
  if (!options) return options.status();
  InputForm made;
  made.kind = "roots";
  made.key = options->value("key", "");
  made.params = Json::object();
  return made;
}

}  // namespace gibbous::lua
