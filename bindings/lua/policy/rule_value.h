// The rules of a policy, from the tables that scripts/meta/rule.lua calls Rule. Read once for each
// load, after the knowledge, because they name its path classes. Loop thread only.
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
  std::vector<rules::Rule> rules;  // with file and line, as far as known
  std::vector<LuaRef> tests;       // indexed by Rule::test; must not outlive their state
};

// Inside a protected call. Reads a list of rules and of lists of rules. Returns false with faults,
// and `out` must not be used then. Raises when the budget or the memory is used up; then `out`,
// which belongs to the caller and lives outside protect(), must not be used either.
// `tested`: its examples were tested when Gibbous was built, and are left out.
bool read_rules(lua_State* state, int index, const command::Knowledge& knowledge, RuleTables* out,
                Faults* faults, bool tested = false);
// Sets file and line of a rule to the place of its id as a string literal, `id = 'x.y'`. Among
// several, the rule's `file` decides; without a match, file and line stay as they are (those of the
// module that returned it, or of its test function). read_rules calls it.
void locate_rule(rules::Rule* rule, const SourceIndex& sources);

}  // namespace gibbous::lua
