// Turns a WrongUse, thrown while an API function reads its options, into a Lua error at the
// script's line. Used by the api_*.cc files. Loop thread only.
#pragma once

#include <lua.hpp>

#include "bindings/lua/check/fields.h"
#include "bindings/lua/vm/error.h"

namespace gibbous::lua {

template <typename Body>
int with_wrong_use(lua_State* state, Body body) {
  try {
    return body();
  } catch (const WrongUse& use) {
    lua_pushstring(state, use.what());
  }
  return raise_here(state, lua_tostring(state, -1));
}

}  // namespace gibbous::lua
