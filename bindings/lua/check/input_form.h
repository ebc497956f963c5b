// What a script may ask of the client of its call: a form for the person there, a text of the
// client's model, or its directories. Read into the params that MCP has for it. In a protected
// call. Loop thread only.
#pragma once

#include <memory>
#include <string>

#include "bindings/lua/check/schema_check.h"
#include "bindings/lua/vm/value.h"
#include "gibbous/status.h"

struct lua_State;

namespace gibbous::lua {

struct InputForm {
  std::string kind;  // InputRequest::kind
  std::string key;   // InputRequest::key
  Json params;
  std::shared_ptr<const SchemaCheck> check;  // of the answer to a form
};

// Reads { message, form, key? } at `index`. The form is an object of texts, numbers, booleans,
// choices and lists of choices. Says what is wrong with which field: "form.size: expected ...".
Result<InputForm> read_form(lua_State* state, int index);
// Reads { messages, max_tokens, system?, temperature?, stop?, key? } at `index`.
Result<InputForm> read_sampling(lua_State* state, int index);
// Reads { key? } at `index`.
Result<InputForm> read_roots(lua_State* state, int index);

}  // namespace gibbous::lua
