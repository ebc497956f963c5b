// DefinitionShape: what a table may hold by which a script defines a tool, a toolset or an
// executor. Its data is checked as JSON by one schema; functions and lists of other definitions are
// left to the reader. In a protected call. Loop thread only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bindings/lua/vm/lua_ref.h"
#include "bindings/lua/vm/value.h"
#include "gibbous/status.h"

struct lua_State;

namespace gibbous::lua {

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
  std::shared_ptr<const SchemaCheck> check_;
};

// The schema of a name that every model API takes.
Json name_shape();

// [.., table] -> the same. Takes the function at `key`, or explains why it is none; without
// `required` it may be absent.
Status take_function(lua_State* state, const char* key, bool required, LuaRef* into);

// Returns the string at `key` of the table on top, to name it before it is read; "": none.
std::string peek_name(lua_State* state, const char* key);

// Raw tables write an empty list as {}, which reads as an object; mends it where a schema always
// has a list.
void mend_empty_lists(Json* schema);

}  // namespace gibbous::lua
