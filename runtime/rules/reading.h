// Compares a command, word by word, with what its program is known to read
// (command::ReadingSpec). match.cc calls it for rules with known_to_read. Private to runtime/rules.
#pragma once

#include <optional>
#include <string>

#include "runtime/rules/rules.h"

namespace gibbous::rules {

// Returns what of the command, of the variables set for it, or of a program that starts it is not
// known to read: "the option --output". None: all of it is.
std::optional<std::string> unread(const command::SimpleCommand& command,
                                  const command::Knowledge& knowledge);

}  // namespace gibbous::rules
