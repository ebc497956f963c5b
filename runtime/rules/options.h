// The options of a command beyond has_flag() of rules.h. Called by match.cc.
#pragma once

#include "runtime/command/facts.h"
#include "runtime/command/knowledge.h"

namespace gibbous::rules {

// The first word that may become an option that nobody can see: "$x", -$x, or * where a file may be
// named -f. Null: there is none.
const command::Value* hidden_option(const command::SimpleCommand& command,
                                    const command::ProgramSpec* spec);

// Null when there is no such word.
const command::Value* word_at(const command::SimpleCommand& command, int index);

}  // namespace gibbous::rules
