// Errors as scripts see them: nil and a table at run time, a raised message for wrong use. Loop
// thread only.
#pragma once

#include <string>

#include "gibbous/status.h"

struct lua_State;

namespace gibbous::lua {

// Pushes nil and err = { code, message, run? }; returns 2.
int push_error(lua_State* state, const Status& status, const std::string& run = "");
// Pushes only the err table.
void push_error_table(lua_State* state, const std::string& code, const std::string& message,
                      const std::string& run = "");
// Raises `message` at the calling script's line; never returns.
int raise_here(lua_State* state, const char* message);

}  // namespace gibbous::lua
