// Converts the facts of a command line: to the table that a rule's test function gets (CommandFacts
// in scripts/meta/rule.lua), and to JSON for `policy explain` and the decision log. Loop thread
// only.
#pragma once

#include <string>

#include "bindings/json/json.h"
#include "runtime/command/facts.h"
#include "runtime/command/knowledge.h"

struct lua_State;

namespace gibbous::lua {

// Pushes the table of one command; `command` is its index in Facts::commands. Charges the budget;
// raises when that or the memory is used up.
void push_command_facts(lua_State* state, const command::Facts& facts, int command,
                        const command::Knowledge& knowledge, const char* mode);

// { shown, commands = [{ program, argv, accesses, ... }], doubts = [{ doubt, detail, ... }] };
// valid UTF-8. Empty lists and false flags are left out. It shows at most 64 commands, 64 items of
// a list and 256 bytes of a text, and counts the rest ("omitted").
Json facts_json(const command::Facts& facts, const command::Knowledge& knowledge);

}  // namespace gibbous::lua
