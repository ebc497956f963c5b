// Decides whether a rule matches a command, or a doubt of the line. judge.cc calls it; allocates
// nothing unless `why` is wanted (or the command has words with holes). Private to runtime/rules.
//
// An unknown part never makes a condition hold, except in `option`, where it may be the value that
// an ask or deny rule is about. An allow rule does not take it for absent either: `git push $x` may
// be `git push --force`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/rules/rules.h"

namespace gibbous::rules {

// One command with its accesses and doubts.
struct Subject {
  const command::Facts* facts;
  const command::Knowledge* knowledge;
  int index;
  const std::vector<int>& doubts;  // indexes into Facts::doubts

  const command::SimpleCommand& command() const {
    return facts->subject(static_cast<std::size_t>(index));
  }
};

// Returns true if the rule has a condition on a command other than `doubts` and its details.
bool has_command_conditions(const Rule& rule);
// Orders stricter rules first; of equal ones, one's own before those that ship, then as in the set.
bool stricter(const Rule* left, const Rule* right);
// Returns true unless such an access only reads, enters or names a path.
bool changes_something(command::AccessKind kind);

// Checks all conditions except `test`, for a rule that names the program. `why` (may be null)
// receives what held or what did not.
bool matches(const Rule& rule, const Subject& subject, std::string* why);

// Returns true if the access is of the rule's kinds and classes.
bool access_holds(const Rule& rule, const command::Access& access);

// Returns the unknown value for the sake of which the rule's `options` hold; "" if they hold
// anyway.
std::string uncertain_option(const Rule& rule, const Subject& subject);

// Returns true if the doubt is of one of the rule's kinds, and its detail matches.
bool names_doubt(const Rule& rule, const command::DoubtFact& doubt);

}  // namespace gibbous::rules
