// Errors at run time, as scripts get them: nil and a table. Wrong use raises (check/wrong_use.h).
// Loop thread only.
#pragma once

#include <string>
#include <string_view>

#include "gibbous/status.h"

struct lua_State;

namespace gibbous::lua {

// Pushes nil and err = { code, message, run? }; returns 2.
int push_error(lua_State* state, const Status& status, const std::string& run = "");
// Pushes only the err table.
void push_error_table(lua_State* state, const std::string& code, const std::string& message,
                      const std::string& run = "");

// Returns whether this can be the code of an error: up to 64 lower-case letters, digits and _,
// beginning with a letter.
bool is_error_code(std::string_view code);

}  // namespace gibbous::lua
