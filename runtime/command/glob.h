// Globs over names and words: `*` is any characters, or none, and `?` is one UTF-8 character;
// everything else stands for itself. For the names in knowledge.h and the patterns of
// runtime/rules. Pure, any thread.
#pragma once

#include <string_view>

#include "runtime/command/facts.h"

namespace gibbous::command {

bool glob_matches(std::string_view glob, std::string_view text);
// Requires each hole to lie under one `*`, so that any value matches. A `?` never covers a hole,
// which may have any length.
bool glob_matches(std::string_view glob, const Value& value);
// Returns false only if the known beginning and end of the value rule out every match.
bool glob_may_match(std::string_view glob, const Value& value);

}  // namespace gibbous::command
