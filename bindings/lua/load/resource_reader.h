// Reads what resource{...} returned, and checks every word of it. Called by tool_reader.cc, in a
// protected call. Loop thread only.
#pragma once

#include "bindings/lua/load/offered.h"
#include "gibbous/status.h"

struct lua_State;

namespace gibbous::lua {

class DefinitionShape;  // check/definition.h

// The shape of what resource{...} takes and returns; its `read` is a function.
const DefinitionShape& resource_shape();

// [.., resource] -> the same. Says what is wrong with its data; its function is left alone.
Status check_resource(lua_State* state);
// [.., resource] -> the same. Or says what is wrong with which field: "uri: expected ...".
Status read_resource(lua_State* state, ResourceDefinition* made);

}  // namespace gibbous::lua
