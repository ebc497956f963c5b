// Constructors of plain JSON Schema tables, and the check of a value with one. A property table
// cannot say that it is optional, so that is remembered beside it until schema.object reads it.
#include "bindings/lua/check/schema_table.h"

#include <algorithm>
#include <cstdint>
#include <lua.hpp>
#include <string>
#include <utility>

#include "bindings/lua/check/fields.h"
#include "bindings/lua/check/limits_value.h"
#include "bindings/lua/check/sandbox_value.h"
#include "bindings/lua/check/schema_check.h"
#include "bindings/lua/vm/registry_flag.h"

namespace gibbous::lua {
namespace {

constexpr char kOptionalKey = 0;  // its address: registry -> { [schema] = true }, weak
constexpr double kMaxNumber = 9007199254740992.0;  // 2^53: beyond it integers are not exact
constexpr std::int64_t kMaxLength = std::int64_t{1} << 31;

void push_optional_marks(lua_State* state) {
  lua_pushlightuserdata(state, const_cast<char*>(&kOptionalKey));
  lua_rawget(state, LUA_REGISTRYINDEX);
}

// Marks the schema on top of the stack.
void mark_optional(lua_State* state) {
  push_optional_marks(state);
  lua_pushvalue(state, -2);
  lua_pushboolean(state, 1);
  lua_rawset(state, -3);
  lua_pop(state, 1);
}

// Reads the options at `index`, which may be missing.
Json options_at(lua_State* state, int index, const char* function) {
  if (lua_isnoneornil(state, index)) return Json::object();
  return to_json(state, index, function);
}

void copy_text(Fields& fields, const char* name, Json* schema, const char* keyword) {
  if (const auto text = fields.text(name)) (*schema)[keyword] = *text;
}

void copy_number(Fields& fields, const char* name, bool whole, Json* schema, const char* keyword) {
  if (whole) {
    const auto limit = static_cast<std::int64_t>(kMaxNumber);
    if (const auto number = fields.integer(name, -limit, limit)) (*schema)[keyword] = *number;
  } else if (fields.number(name, -kMaxNumber, kMaxNumber)) {
    (*schema)[keyword] = fields.value(name);  // an integer stays one
  }
}

void copy_length(Fields& fields, const char* name, Json* schema, const char* keyword) {
  if (const auto length = fields.integer(name, 0, kMaxLength)) (*schema)[keyword] = *length;
}

// Reads the options that all constructors share, and pushes the result.
int finish(lua_State* state, Fields& fields, Json schema) {
  copy_text(fields, "title", &schema, "title");
  copy_text(fields, "description", &schema, "description");
  if (fields.has("default")) schema["default"] = fields.value("default");
  if (fields.has("examples")) {
    if (!fields.value("examples").is_array())
      fields.fail("examples", "a list", fields.value("examples"));
    schema["examples"] = fields.value("examples");
  }
  if (fields.has("rare") && fields.value("rare").is_string()) {
    schema["x-rare"] = fields.choice("rare", {"unconfined"}).value_or("");
  } else if (fields.flag("rare").value_or(false)) {
    schema["x-rare"] = true;
  }
  const bool optional = fields.flag("optional").value_or(false);
  fields.done();
  push_json(state, schema);
  if (optional) mark_optional(state);
  return 1;
}

int l_schema_string(lua_State* state) {
  Fields fields("schema.string", options_at(state, 1, "schema.string"));
  Json schema = {{"type", "string"}};
  if (const auto choices = fields.texts("enum")) {
    if (choices->empty()) fields.fail("enum", "at least one string", Json::array());
    schema["enum"] = *choices;
  }
  copy_text(fields, "pattern", &schema, "pattern");
  copy_text(fields, "format", &schema, "format");
  copy_length(fields, "min_length", &schema, "minLength");
  copy_length(fields, "max_length", &schema, "maxLength");
  return finish(state, fields, std::move(schema));
}

int numeric(lua_State* state, const char* function, bool whole) {
  Fields fields(function, options_at(state, 1, function));
  Json schema = {{"type", whole ? "integer" : "number"}};
  copy_number(fields, "minimum", whole, &schema, "minimum");
  copy_number(fields, "maximum", whole, &schema, "maximum");
  copy_number(fields, "multiple_of", whole, &schema, "multipleOf");
  return finish(state, fields, std::move(schema));
}

int l_schema_integer(lua_State* state) {
  return numeric(state, "schema.integer", true);
}
int l_schema_number(lua_State* state) {
  return numeric(state, "schema.number", false);
}

int l_schema_boolean(lua_State* state) {
  Fields fields("schema.boolean", options_at(state, 1, "schema.boolean"));
  return finish(state, fields, Json{{"type", "boolean"}});
}

int l_schema_any(lua_State* state) {
  Fields fields("schema.any", options_at(state, 1, "schema.any"));
  return finish(state, fields, Json::object());
}

int l_schema_array(lua_State* state) {
  luaL_checktype(state, 1, LUA_TTABLE);
  Json item = to_json(state, 1, "schema.array");
  luaL_argcheck(state, item.is_object(), 1, "expected the schema of an item, got a list");
  Fields fields("schema.array", options_at(state, 2, "schema.array"));
  Json schema = {{"type", "array"}, {"items", std::move(item)}};
  copy_length(fields, "min_items", &schema, "minItems");
  copy_length(fields, "max_items", &schema, "maxItems");
  if (const auto unique = fields.flag("unique")) schema["uniqueItems"] = *unique;
  return finish(state, fields, std::move(schema));
}

int l_schema_one_of(lua_State* state) {
  luaL_checktype(state, 1, LUA_TTABLE);
  Json branches = to_json(state, 1, "schema.one_of");
  luaL_argcheck(state, branches.is_array() && !branches.empty(), 1, "expected a list of schemas");
  Fields fields("schema.one_of", options_at(state, 2, "schema.one_of"));
  return finish(state, fields, Json{{"oneOf", std::move(branches)}});
}

// A property must be given unless it says `optional`, or has a default.
bool is_required(lua_State* state, int schema, int marks) {
  lua_pushvalue(state, schema);
  lua_rawget(state, marks);
  lua_pushliteral(state, "optional");
  lua_rawget(state, schema);  // of a raw table
  lua_pushliteral(state, "default");
  lua_rawget(state, schema);  // [mark, optional, default]
  const bool required =
      lua_toboolean(state, -3) == 0 && lua_toboolean(state, -2) == 0 && lua_isnil(state, -1);
  lua_pop(state, 3);
  return required;
}

int l_schema_object(lua_State* state) {
  if (lua_isnoneornil(state, 1)) {
    lua_settop(state, 0);
    lua_newtable(state);
  }
  luaL_checktype(state, 1, LUA_TTABLE);
  lua_settop(state, 2);
  push_optional_marks(state);  // [properties, options, marks]
  Json required = Json::array();
  for (lua_pushnil(state); lua_next(state, 1) != 0; lua_pop(state, 1)) {
    if (lua_type(state, -2) != LUA_TSTRING) {
      return luaL_error(
          state, "schema.object: expected properties with names, as in { id = schema.string() }");
    }
    if (!lua_istable(state, -1)) {
      return luaL_error(state, "schema.object: property '%s': expected a schema, got a %s",
                        lua_tostring(state, -2), luaL_typename(state, -1));
    }
    if (is_required(state, lua_gettop(state), 3)) required.push_back(lua_tostring(state, -2));
  }
  Json properties = to_json(state, 1, "schema.object");
  if (!properties.is_object()) properties = Json::object();
  for (Json& property : properties) {
    if (property.is_object()) property.erase("optional");
  }
  Fields fields("schema.object", options_at(state, 2, "schema.object"));
  Json schema = {{"type", "object"}, {"properties", std::move(properties)}};
  schema["additionalProperties"] = false;
  if (fields.has("additional")) {
    const Json& additional = fields.value("additional");
    if (!additional.is_boolean() && !additional.is_object()) {
      fields.fail("additional", "true, false or a schema", additional);
    }
    schema["additionalProperties"] = additional;
  }
  if (!required.empty()) {
    std::sort(required.begin(), required.end());
    schema["required"] = std::move(required);
  }
  return finish(state, fields, std::move(schema));
}

// The limits of a run.
int l_schema_limits(lua_State* state) {
  Fields fields("schema.limits", options_at(state, 1, "schema.limits"));
  return finish(state, fields, limits_schema(""));
}

// The sandbox that a mode, the configuration or a start requests.
int l_schema_sandbox(lua_State* state) {
  Fields fields("schema.sandbox", options_at(state, 1, "schema.sandbox"));
  Json schema = sandbox_schema("");
  if (const auto profiles = fields.texts("profiles"))
    schema["properties"]["profile"] = {{"type", "string"}, {"enum", *profiles}};
  return finish(state, fields, std::move(schema));
}

constexpr RegistryFlag kAreChecksKnown;

// schema.check(value, schema, owner)
int l_schema_check(lua_State* state) {
  if (kAreChecksKnown.is_set(state)) return 0;
  const std::string owner = luaL_checkstring(state, 3);
  Json value = to_json(state, 1, owner.c_str());
  const auto check = SchemaCheck::compile(to_json(state, 2, "schema"), {"", 1});
  if (!check) throw WrongUse("schema.check", check.status().message());
  if (const Status fits = (*check)->apply(value); !fits) throw WrongUse(owner, fits.message());
  return 0;
}

constexpr luaL_Reg kSchema[] = {
    {"string", with_wrong_use<l_schema_string>}, {"integer", with_wrong_use<l_schema_integer>},
    {"number", with_wrong_use<l_schema_number>}, {"boolean", with_wrong_use<l_schema_boolean>},
    {"array", with_wrong_use<l_schema_array>},   {"object", with_wrong_use<l_schema_object>},
    {"any", with_wrong_use<l_schema_any>},       {"one_of", with_wrong_use<l_schema_one_of>},
    {"limits", with_wrong_use<l_schema_limits>}, {"sandbox", with_wrong_use<l_schema_sandbox>},
    {"check", with_wrong_use<l_schema_check>},   {nullptr, nullptr},
};

}  // namespace

void set_checks_known(lua_State* state, bool known) {
  kAreChecksKnown.set(state, known);
}

void open_schema(lua_State* state) {
  lua_pushlightuserdata(state, const_cast<char*>(&kOptionalKey));
  lua_newtable(state);
  lua_createtable(state, 0, 1);
  lua_pushliteral(state, "k");
  lua_setfield(state, -2, "__mode");
  lua_setmetatable(state, -2);
  lua_rawset(state, LUA_REGISTRYINDEX);
  lua_newtable(state);
  luaL_register(state, nullptr, kSchema);
}

}  // namespace gibbous::lua
