// Decides whether a rule matches a command, or a doubt of the line. judge.cc calls it; allocates
// nothing unless `why` is wanted (or the command has words with holes). Private to runtime/rules.
#pragma once

#include <string>

#include "runtime/rules/index.h"
#include "runtime/rules/rules.h"

namespace gibbous::rules {

// One command with its accesses and doubts.
struct Subject {
  const command::Facts* facts = nullptr;
  const command::Knowledge* knowledge = nullptr;
  int index = 0;
  const int* doubts = nullptr;  // indexes into Facts::doubts
  std::size_t doubt_count = 0;
  Has has;
  bool right_program = false;  // known to be the rule's program

  const command::SimpleCommand& command() const {
    return facts->subject(static_cast<std::size_t>(index));
  }
};

// Checks all conditions except `modes` and `test`. `why` (may be null) receives what held or what
// did not. Needs::met_by is only a shortcut: this checks everything again.
bool matches(const Rule& rule, const Subject& subject, std::string* why);

// Returns true if the access is of the rule's kinds and classes.
bool access_holds(const Rule& rule, const command::Access& access);

// Returns the unknown value for the sake of which the rule's `options` hold; "" if they hold
// anyway.
std::string uncertain_option(const Rule& rule, const Subject& subject);

// Returns true if the doubt is of one of the rule's kinds, and its detail matches.
bool names_doubt(const Rule& rule, const command::DoubtFact& doubt);

}  // namespace gibbous::rules
