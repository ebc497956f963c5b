// The rules of a policy, from the tables that scripts/meta/rule.lua calls Rule. Read once a load,
// after the knowledge, whose path classes they name. Loop thread only.
#pragma once

#include <string>
#include <vector>

#include "bindings/lua/source/faults.h"
#include "bindings/lua/vm/lua_ref.h"
#include "runtime/command/knowledge.h"
#include "runtime/rules/rules.h"

struct lua_State;

namespace gibbous::lua {

struct RuleTables {
  std::vector<rules::Rule> rules;  // with file and line, as far as they are known
  std::vector<LuaRef> tests;       // Rule::test is an index; they must not outlive their state
};

// Inside a protected call. A list of rules and of lists of rules. False: the faults say why, and
// `out` is of no use. Raises when the budget or the memory is gone; then `out`, which is the
// caller's and lives outside of protect(), is of no use either.
bool read_rules(lua_State* state, int index, const command::Knowledge& knowledge, RuleTables* out,
                Faults* faults);

// Every mode that a rule names is one of `modes`.
bool check_modes(const std::vector<rules::Rule>& rules, const std::vector<std::string>& modes,
                 Faults* faults);

// Sets file and line of a rule to where its id stands as a string literal, `id = 'x.y'`. The rule's
// `file` is the hint which of several is meant; without any, file and line stay as they are (that
// of the module that returned it, or of its test function). read_rules does it.
void locate_rule(rules::Rule* rule, const SourceIndex& sources);

}  // namespace gibbous::lua
