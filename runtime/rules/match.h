// Whether one rule matches one command, or one doubt of the line. Called by judge.cc; allocates
// nothing unless `why` is wanted (or the command has words with holes). Private to runtime/rules.
#pragma once

#include <string>

#include "runtime/rules/index.h"
#include "runtime/rules/rules.h"

namespace gibbous::rules {

// One command with what is its.
struct Subject {
  const command::Facts* facts = nullptr;
  const command::Knowledge* knowledge = nullptr;
  int index = 0;
  const int* doubts = nullptr;  // indexes into Facts::doubts
  std::size_t doubt_count = 0;
  Has has;
  bool right_program = false;  // that of the rule, as is known already

  const command::SimpleCommand& command() const {
    return facts->commands[static_cast<std::size_t>(index)];
  }
};

// All conditions but `modes` and `test`. Gives what held, or what did not, in `why` (may be null).
// Needs::met_by is only a shortcut: this asks for everything again.
bool matches(const Rule& rule, const Subject& subject, std::string* why);

// Whether the doubt is of one of the rule's kinds, and its detail matches.
bool names_doubt(const Rule& rule, const command::DoubtFact& doubt);

bool holds_in_mode(const Rule& rule, const std::string& mode);

}  // namespace gibbous::rules
