// What tool{...}, resource{...} and the like share: the definition is checked, and copied. Loop
// thread only.
#pragma once

#include "gibbous/status.h"

struct lua_State;

namespace gibbous::lua {

// __call of the table `kind`: [table, definition]. `check` says what is wrong with the definition
// on top of the stack, whose function is `function`. Returns the copy; raises wrong use at the
// script's line.
int define(lua_State* state, const char* kind, const char* function, Status (*check)(lua_State*));

// [.., table] -> the same: calling it calls `call`, and scripts cannot change that.
void make_callable(lua_State* state, int (*call)(lua_State*));

}  // namespace gibbous::lua
