// Typed lines that an interactive shell replaces by earlier ones: `!!`, `!ls:s/a/b/`, `^a^b^`. What
// runs is then not what was typed. Pure, any thread.
#pragma once

#include <cstddef>
#include <string_view>

#include "runtime/command/dialect.h"

namespace gibbous::command {

// Stand in kept text for what is not known of it: earlier lines, and the beginning of the line.
inline constexpr std::string_view kUnknownLines = "cd \"$unknown\"\n";
inline constexpr std::string_view kUnknownBeginning = "\"$unknown\" ";

// Returns false only if shells of these dialects run the lines that end behind `from` as they are
// typed. Quotes count in bash alone: csh looks into them.
bool may_refer_to_history(std::string_view lines, std::size_t from, Dialects dialects);

}  // namespace gibbous::command
