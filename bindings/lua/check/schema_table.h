// The table `schema` of scripts and policies: builds JSON Schemas, and checks values with them.
// Loop thread only.
#pragma once

struct lua_State;

namespace gibbous::lua {

// Pushes the table. In a protected call.
void open_schema(lua_State* state);

}  // namespace gibbous::lua
