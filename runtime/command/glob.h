// Globs over names and words: `*` is any characters, also none, `?` is one (of UTF-8); all else
// stands for itself. For the names in knowledge.h, and for the patterns of runtime/rules. Pure, any
// thread; linear in the text but for pieces that hold a `?`.
#pragma once

#include <string_view>

#include "runtime/command/facts.h"

namespace gibbous::command {

bool glob_matches(std::string_view glob, std::string_view text);
// Each hole must lie under one `*`: then whatever it becomes matches. A `?` is never enough, since
// a hole may be of any length.
bool glob_matches(std::string_view glob, const Value& value);
// False only when nothing that the value may become matches: its known beginning and end say so.
bool glob_may_match(std::string_view glob, const Value& value);

}  // namespace gibbous::command
