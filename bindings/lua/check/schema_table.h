// The table `schema` of scripts and policies: builds JSON Schemas, and checks values with them.
// Loop thread only.
#pragma once

struct lua_State;

namespace gibbous::lua {

// Pushes the table. In a protected call.
void open_schema(lua_State* state);
// While `known` is set, schema.check accepts everything: code runs that has passed its own checks
// before, with the same values.
void set_checks_known(lua_State* state, bool known);

}  // namespace gibbous::lua
