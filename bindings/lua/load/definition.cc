#include "bindings/lua/load/definition.h"

#include <algorithm>
#include <cassert>
#include <lua.hpp>
#include <utility>

#include "bindings/lua/check/schema_check.h"
#include "bindings/lua/load/tool.h"

namespace gibbous::lua {

DefinitionShape::DefinitionShape(Json properties, std::vector<std::string> required,
                                 std::vector<std::string> apart)
    : apart_(std::move(apart)) {
  for (const std::string& key : apart_) properties[key] = Json::object();
  const auto check = SchemaCheck::compile({{"type", "object"},
                                           {"properties", std::move(properties)},
                                           {"required", std::move(required)},
                                           {"additionalProperties", false}},
                                          {"", 1});
  assert(check);
  check_ = *check;
}

Result<Json> DefinitionShape::read(lua_State* state) const {
  Json data = Json::object();
  for (lua_pushnil(state); lua_next(state, -2) != 0; lua_pop(state, 1)) {
    // Only real strings: lua_tostring would change a number key under lua_next.
    const bool is_string = lua_type(state, -2) == LUA_TSTRING;
    const std::string key = is_string ? lua_tostring(state, -2) : "[1]";
    const bool is_apart = std::find(apart_.begin(), apart_.end(), key) != apart_.end();
    data[key] = is_apart || !is_string ? Json() : to_json(state, -1, key.c_str());
  }
  if (Status good = check_->apply(data); !good) return good;
  for (const std::string& key : apart_) data.erase(key);
  return data;
}

Json name_shape() {
  return {{"type", "string"},
          {"pattern", "^[A-Za-z0-9_-]+$"},
          {"maxLength", kMaxToolNameBytes},
          {"description", "letters, digits, _ and -"}};
}

Status take_function(lua_State* state, const char* key, bool required, LuaRef* into) {
  lua_getfield(state, -1, key);
  if (lua_isfunction(state, -1)) {
    *into = LuaRef::take(state);
    return {};
  }
  const bool missing = lua_isnil(state, -1);
  const std::string got = luaL_typename(state, -1);
  lua_pop(state, 1);
  if (missing && !required) return {};
  return Status::error("script_error", std::string(key) + ": expected a function, got " + got);
}

std::string peek_name(lua_State* state, const char* key) {
  lua_getfield(state, -1, key);
  const std::string name = lua_type(state, -1) == LUA_TSTRING ? lua_tostring(state, -1) : "";
  lua_pop(state, 1);
  return name;
}

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

}  // namespace gibbous::lua
