// The options of a command beyond has_flag() of rules.h. match.cc uses it.
#pragma once

#include "runtime/command/facts.h"
#include "runtime/command/knowledge.h"

namespace gibbous::rules {

// Returns the first word that may become an unseen option: "$x", -$x, or a * that may match a file
// named -f. Null if there is none.
const command::Value* hidden_option(const command::SimpleCommand& command,
                                    const command::ProgramSpec* spec);

// Returns null if there is no such word.
const command::Value* word_at(const command::SimpleCommand& command, int index);

}  // namespace gibbous::rules
