// Constructors of plain JSON Schema tables, and the check of a value with one. A property table
// cannot say that it is optional, so that is remembered beside it until schema.object reads it.
#include "bindings/lua/check/schema_table.h"

#include <algorithm>
#include <lua.hpp>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bindings/lua/check/definition.h"
#include "bindings/lua/check/fields.h"
#include "bindings/lua/check/limits_value.h"
#include "bindings/lua/check/sandbox_value.h"
#include "bindings/lua/check/schema_check.h"

namespace gibbous::lua {
namespace {

constexpr char kOptionalKey = 0;  // its address: registry -> { [schema] = true }, weak
constexpr double kMaxNumber = 9007199254740992.0;  // 2^53: beyond it integers are not exact
constexpr double kMaxLength = 2147483648.0;

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

Json shape_of(const char* type) {
  return {{"type", type}};
}

Json range_of(const char* type, double low, double high) {
  return {{"type", type}, {"minimum", low}, {"maximum", high}};
}

// What a constructor makes, and its options: each becomes a keyword of the schema.
class Constructor {
 public:
  struct Option {
    const char* name;
    const char* keyword;  // "": the constructor itself reads it
    Json shape;
  };

  Constructor(const std::string& name, Json schema, std::vector<Option> options = {})
      : function_("schema." + name), schema_(std::move(schema)), options_(std::move(options)) {
    options_.insert(options_.end(), {{"title", "title", shape_of("string")},
                                     {"description", "description", shape_of("string")},
                                     {"default", "default", Json::object()},
                                     {"examples", "examples", shape_of("array")},
                                     {"rare", "", {{"enum", {"unconfined", true, false}}}},
                                     {"optional", "", shape_of("boolean")}});
    Json properties = Json::object();
    for (const Option& option : options_) properties[option.name] = option.shape;
    check_ = SchemaCheck::later(closed_object(std::move(properties)), {"", 1});
  }

  // Pushes the schema with `more` and the options at `index`, which may be missing.
  int push(lua_State* state, int index, const Json& more = Json::object()) const {
    Json given = Json::object();
    if (!lua_isnoneornil(state, index)) given = to_json(state, index, function_.c_str());
    if (!are_definitions_known(state)) given = checked_fields(function_, *check_, given);
    Json schema = schema_;
    schema.update(more);
    for (const Option& option : options_) {
      const auto found = given.find(option.name);
      if (found == given.end() || found->is_null() || *option.keyword == '\0') continue;
      schema[option.keyword] = *found;
    }
    const Json rare = given.value("rare", Json(false));
    if (rare != false) schema["x-rare"] = rare;
    const auto profiles = given.find("profiles");  // of schema.sandbox
    if (profiles != given.end()) {
      schema["properties"]["profile"] = {{"type", "string"}, {"enum", *profiles}};
    }
    push_json(state, schema);
    if (given.value("optional", false)) mark_optional(state);
    return 1;
  }

 private:
  std::string function_;
  Json schema_;
  std::vector<Option> options_;
  std::shared_ptr<const SchemaCheck> check_;
};

Constructor number_of(const char* type) {
  const Json bound = range_of(type, -kMaxNumber, kMaxNumber);
  return {type,
          shape_of(type),
          {{"minimum", "minimum", bound},
           {"maximum", "maximum", bound},
           {"multiple_of", "multipleOf", bound}}};
}

// Those that take their options alone.
const std::map<std::string, Constructor>& plain_constructors() {
  const Json length = range_of("integer", 0, kMaxLength);
  const Json texts = {{"type", "array"}, {"items", shape_of("string")}, {"minItems", 1}};
  static const std::map<std::string, Constructor> all = {
      {"string",
       {"string",
        shape_of("string"),
        {{"enum", "enum", texts},
         {"pattern", "pattern", shape_of("string")},
         {"format", "format", shape_of("string")},
         {"min_length", "minLength", length},
         {"max_length", "maxLength", length}}}},
      {"integer", number_of("integer")},
      {"number", number_of("number")},
      {"boolean", {"boolean", shape_of("boolean")}},
      {"any", {"any", Json::object()}},
      {"limits", {"limits", limits_schema("")}},
      {"sandbox", {"sandbox", sandbox_schema(""), {{"profiles", "", texts}}}}};
  return all;
}

int l_schema_plain(lua_State* state) {
  return plain_constructors().at(lua_tostring(state, lua_upvalueindex(1))).push(state, 1);
}

int l_schema_array(lua_State* state) {
  const Json length = range_of("integer", 0, kMaxLength);
  static const Constructor of("array", shape_of("array"),
                              {{"min_items", "minItems", length},
                               {"max_items", "maxItems", length},
                               {"unique", "uniqueItems", shape_of("boolean")}});
  luaL_checktype(state, 1, LUA_TTABLE);
  Json item = to_json(state, 1, "schema.array");
  luaL_argcheck(state, item.is_object(), 1, "expected the schema of an item, got a list");
  return of.push(state, 2, {{"items", std::move(item)}});
}

int l_schema_one_of(lua_State* state) {
  static const Constructor of("one_of", Json::object());
  luaL_checktype(state, 1, LUA_TTABLE);
  Json branches = to_json(state, 1, "schema.one_of");
  luaL_argcheck(state, branches.is_array() && !branches.empty(), 1, "expected a list of schemas");
  return of.push(state, 2, {{"oneOf", std::move(branches)}});
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
  static const Constructor of(
      "object", closed_object({}),
      {{"additional", "additionalProperties", {{"type", {"boolean", "object"}}}}});
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
  Json more = {{"properties", std::move(properties)}};
  if (!required.empty()) {
    std::sort(required.begin(), required.end());
    more["required"] = std::move(required);
  }
  return of.push(state, 2, more);
}

// schema.check(value, schema, owner)
int l_schema_check(lua_State* state) {
  if (are_definitions_known(state)) return 0;
  const std::string owner = luaL_checkstring(state, 3);
  Json value = to_json(state, 1, owner.c_str());
  const auto check = SchemaCheck::compile(to_json(state, 2, "schema"), {"", 1});
  if (!check) throw WrongUse("schema.check", check.status().message());
  if (const Status fits = (*check)->apply(value); !fits) throw WrongUse(owner, fits.message());
  return 0;
}

constexpr luaL_Reg kSchema[] = {
    {"array", with_wrong_use<l_schema_array>},
    {"object", with_wrong_use<l_schema_object>},
    {"one_of", with_wrong_use<l_schema_one_of>},
    {"check", with_wrong_use<l_schema_check>},
    {nullptr, nullptr},
};

}  // namespace

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
  for (const auto& [name, constructor] : plain_constructors()) {
    lua_pushstring(state, name.c_str());
    lua_pushcclosure(state, with_wrong_use<l_schema_plain>, 1);
    lua_setfield(state, -2, name.c_str());
  }
}

}  // namespace gibbous::lua
