// Notes which words of a command that are not known a test function looks at, so that its answer
// about them does not pass for knowledge. command_policy.cc calls a test again with such facts when
// its answer would be the more lenient one. Loop thread only, inside a protected call.
#pragma once

#include <string>

#include "runtime/command/facts.h"

struct lua_State;

namespace gibbous::lua {

// [facts] -> [facts, reads]: makes `argv`, `literal` and the unknown `assignments` of the facts
// note what is read. `argv` and `literal` are no tables then: what a script does with all of a
// table, such as ipairs, raises.
void watch_words(lua_State* state);

// [reads] -> [text]: returns the first unknown word whose text was read without a look at its
// `literal`; "" if there is none.
std::string read_unknown(lua_State* state);

// Returns the first word of the command, or variable set for it, that is not known; "" if there is
// none.
std::string first_unknown(const command::SimpleCommand& command);

}  // namespace gibbous::lua
