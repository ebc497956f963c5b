#include "bindings/lua/check/wrong_use.h"

#include <cmath>
#include <cstdio>
#include <lua.hpp>

#include "bindings/lua/check/schema_check.h"

namespace gibbous::lua {
namespace {

char metatable_key;  // its address is the key in the registry

int l_message(lua_State* state) {
  lua_getfield(state, 1, "message");
  return 1;
}

// Strings that scripts put around an error stay strings.
int l_concat(lua_State* state) {
  for (int index = 1; index <= 2; ++index) {
    if (lua_type(state, index) != LUA_TTABLE) continue;
    lua_getfield(state, index, "message");
    lua_replace(state, index);
  }
  lua_concat(state, 2);
  return 1;
}

void push_metatable(lua_State* state) {
  lua_pushlightuserdata(state, &metatable_key);
  lua_rawget(state, LUA_REGISTRYINDEX);
  if (!lua_isnil(state, -1)) return;
  lua_pop(state, 1);
  lua_createtable(state, 0, 3);
  lua_pushcfunction(state, l_message);
  lua_setfield(state, -2, "__tostring");
  lua_pushcfunction(state, l_concat);
  lua_setfield(state, -2, "__concat");
  lua_pushboolean(state, 0);
  lua_setfield(state, -2, "__metatable");
  lua_pushlightuserdata(state, &metatable_key);
  lua_pushvalue(state, -2);
  lua_rawset(state, LUA_REGISTRYINDEX);
}

std::string plain(double number) {
  if (number == std::floor(number) && std::abs(number) < 1e15) {
    return std::to_string(static_cast<std::int64_t>(number));
  }
  char text[32];
  std::snprintf(text, sizeof text, "%.14g", number);
  return text;
}

std::string field_of(const Json& path) {
  std::string field;
  for (const Json& step : path) {
    if (step.is_number()) {
      field += "[" + step.dump() + "]";
    } else {
      field += (field.empty() ? "" : ".") + step.get<std::string>();
    }
  }
  return field;
}

}  // namespace

std::string describe_value(const Json& value) {
  constexpr std::size_t kMaxShownChars = 40;
  if (value.is_null()) return "nil";
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  if (value.is_number()) return plain(value.get<double>());
  if (value.is_structured()) return "a table";
  if (!value.is_string()) return "something else";
  const auto& text = value.get_ref<const std::string&>();
  if (text.size() <= kMaxShownChars) return "the string \"" + text + "\"";
  return "a string of " + std::to_string(text.size()) + " bytes";
}

FieldPath FieldPath::below(const std::string& field) const {
  FieldPath place(text_ + ": " + field);
  place.path_ = path_;
  place.path_.push_back(field);
  return place;
}

FieldPath FieldPath::item(std::size_t index) const {
  FieldPath place(text_ + "[" + std::to_string(index + 1) + "]");
  place.path_ = path_;
  place.path_.push_back(index + 1);
  return place;
}

FieldPath FieldPath::along(const Json& steps) const {
  FieldPath place = *this;
  for (const Json& step : steps)
    place = step.is_number() ? place.item(step.get<std::size_t>() - 1) : place.below(step);
  return place;
}

FieldPath FieldPath::below(const std::string& list, std::size_t index,
                           const std::string& said) const {
  const std::string item = list + "[" + std::to_string(index + 1) + "]";
  FieldPath place(text_ + ": " + (said.empty() ? item : said));
  place.path_ = path_;
  place.path_.push_back(list);
  place.path_.push_back(index + 1);
  return place;
}

WrongUse::WrongUse(const FieldPath& place, const std::string& problem)
    : std::invalid_argument(place.text() + ": " + problem),
      path_(place.path()),
      problem_(problem) {}

WrongUse::WrongUse(const FieldPath& place, const std::string& expected, const Json& got)
    : WrongUse(place, "expected " + expected + ", got " + describe_value(got)) {
  expected_ = expected;
  got_ = describe_value(got);
}

WrongUse::WrongUse(const FieldPath& place, const SchemaFault& fault)
    : WrongUse(place.along(fault.path), fault.problem) {
  expected_ = fault.expected;
  got_ = fault.got;
}

void add_wrong_use(lua_State* state, const WrongUse& use) {
  set_text(state, "field", field_of(use.path()));
  set_text(state, "problem", use.problem());
  if (!use.expected().empty()) {
    set_text(state, "expected", use.expected());
    set_text(state, "got", use.got());
  }
  push_json(state, use.path());
  lua_setfield(state, -2, "path");
}

void push_wrong_use(lua_State* state, const WrongUse& use) {
  luaL_checkstack(state, 6, "raising an error");
  lua_createtable(state, 0, 6);
  luaL_where(state, 1);
  lua_pushstring(state, use.what());
  lua_concat(state, 2);
  lua_setfield(state, -2, "message");
  add_wrong_use(state, use);
  push_metatable(state);
  lua_setmetatable(state, -2);
}

int raise_top(lua_State* state) {
  return lua_error(state);
}

}  // namespace gibbous::lua
