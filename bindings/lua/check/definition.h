// DefinitionShape: the allowed contents of a table with which a script defines a tool, a toolset,
// an executor or a policy. One schema checks its data as JSON; functions and lists of other
// definitions are left to the reader. In a protected call. Loop thread only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bindings/lua/vm/lua_ref.h"
#include "bindings/lua/vm/value.h"
#include "gibbous/status.h"

struct lua_State;

namespace gibbous::lua {

inline constexpr std::size_t kMaxToolNameBytes = 64;  // the limit of the model APIs
// These two are for resources and prompts.
inline constexpr std::size_t kMaxTitleBytes = 200;
inline constexpr std::size_t kMaxDescriptionBytes = 4000;

class SchemaCheck;

class DefinitionShape {
 public:
  // `properties` are JSON Schemas by key; `apart` are the keys that the reader looks at itself.
  DefinitionShape(Json properties, std::vector<std::string> required,
                  std::vector<std::string> apart);

  // [.., table] -> the same. Returns the data with defaults filled in, or what is wrong with which
  // key: "permission: expected ...".
  Result<Json> read(lua_State* state) const;

 private:
  std::vector<std::string> apart_;
  std::vector<std::string> data_;  // the other keys
  std::shared_ptr<const SchemaCheck> check_;
};

// While `known` is set, files run that have run before, and passed their own checks: schema.check
// accepts everything, constructors do not check their options, readers do, and schemas are compiled
// when they are first applied.
void set_definitions_known(lua_State* state, bool known);
bool are_definitions_known(lua_State* state);

// The schema of a name that every model API takes.
Json name_shape();

// [.., table] -> the same. Explains why there is no function at `key`.
Status check_function(lua_State* state, const char* key);
// [.., table] -> the same. Takes the function at `key`, or explains why it is none; without
// `required` it may be absent.
Status take_function(lua_State* state, const char* key, bool required, LuaRef* into);

// [.., value] -> the same. Returns the length of a list of `items` ("watchers"), or explains why
// the value is none, or too long.
Result<std::size_t> list_size(lua_State* state, const std::string& items, std::size_t most);

// Returns the string at `key` of the table on top, to name it before it is read; "": none.
std::string peek_name(lua_State* state, const char* key);

// A raw table writes an empty list as {}, which reads as an object. Restores the list wherever a
// schema always has one.
void mend_empty_lists(Json* schema);

}  // namespace gibbous::lua
