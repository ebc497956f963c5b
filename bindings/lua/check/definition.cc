#include "bindings/lua/check/definition.h"

#include <algorithm>
#include <lua.hpp>
#include <utility>

#include "bindings/lua/check/schema_check.h"

namespace gibbous::lua {
namespace {

constexpr char kDefinitionsKnown = 0;  // its address: registry -> true

}  // namespace

void set_definitions_known(lua_State* state, bool known) {
  lua_pushlightuserdata(state, const_cast<char*>(&kDefinitionsKnown));
  lua_pushboolean(state, known ? 1 : 0);
  lua_rawset(state, LUA_REGISTRYINDEX);
}

bool are_definitions_known(lua_State* state) {
  lua_pushlightuserdata(state, const_cast<char*>(&kDefinitionsKnown));
  lua_rawget(state, LUA_REGISTRYINDEX);
  const bool known = lua_toboolean(state, -1) != 0;
  lua_pop(state, 1);
  return known;
}

DefinitionShape::DefinitionShape(Json properties, std::vector<std::string> required,
                                 std::vector<std::string> apart)
    : apart_(std::move(apart)) {
  for (const auto& [key, schema] : properties.items()) data_.push_back(key);
  for (const std::string& key : apart_) properties[key] = Json::object();
  check_ = SchemaCheck::later(closed_object(std::move(properties), std::move(required)), {"", 1});
}

Result<Json> DefinitionShape::read(lua_State* state) const {
  Json data = Json::object();
  for (lua_pushnil(state); lua_next(state, -2) != 0; lua_pop(state, 1)) {
    // Read only real strings: lua_tostring would change a number key under lua_next.
    const bool is_string = lua_type(state, -2) == LUA_TSTRING;
    const std::string key = is_string ? lua_tostring(state, -2) : "[1]";
    const bool is_data = std::find(data_.begin(), data_.end(), key) != data_.end();
    data[key] = is_data && is_string ? to_json(state, -1, key.c_str()) : Json();
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

Status check_function(lua_State* state, const char* key) {
  lua_getfield(state, -1, key);
  const int type = lua_type(state, -1);
  lua_pop(state, 1);
  if (type == LUA_TFUNCTION) return {};
  const std::string got = type == LUA_TNIL ? "nil" : std::string("a ") + lua_typename(state, type);
  return Status::error("script_error", std::string(key) + ": expected a function, got " + got);
}

Status take_function(lua_State* state, const char* key, bool required, LuaRef* into) {
  lua_getfield(state, -1, key);
  if (lua_isfunction(state, -1)) {
    *into = LuaRef::take(state);
    return {};
  }
  const bool missing = lua_isnil(state, -1);
  lua_pop(state, 1);
  return missing && !required ? Status() : check_function(state, key);
}

Result<std::size_t> list_size(lua_State* state, const std::string& items, std::size_t most) {
  const std::string wanted = "expected a list of " + items;
  if (!lua_istable(state, -1))
    return Status::error("script_error", wanted + ", got a " + luaL_typename(state, -1));
  const std::size_t count = lua_objlen(state, -1);
  std::size_t keys = 0;
  for (lua_pushnil(state); lua_next(state, -2) != 0; lua_pop(state, 1)) ++keys;
  if (keys != count) return Status::error("script_error", wanted + " without holes or names");
  if (count <= most) return count;
  return Status::error("script_error", "expected at most " + std::to_string(most) + " " + items +
                                           ", got " + std::to_string(count));
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
