// Converts the facts of a command line: to the table that a rule's test function gets (CommandFacts
// in scripts/meta/rule.lua), and to JSON for `policy explain` and the decision log. Loop thread
// only.
#pragma once

#include <cstddef>
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

// The JSON shows at most this much, and counts the rest ("omitted").
struct FactsLimits {
  std::size_t commands = 64;
  std::size_t list = 64;    // words of a command, its accesses, the doubts ...
  std::size_t bytes = 256;  // of each text
};

// { shown, commands = [{ program, argv, accesses, ... }], doubts = [{ doubt, detail, ... }] };
// valid UTF-8. Empty lists and false flags are left out.
Json facts_json(const command::Facts& facts, const command::Knowledge& knowledge,
                const FactsLimits& limits = {});

}  // namespace gibbous::lua
