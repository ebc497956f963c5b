// Quotes words for a POSIX shell. Pure, any thread.
#pragma once

#include <string>
#include <string_view>

namespace gibbous {

// Returns the word as it can be typed: itself when no shell gives any of its characters a meaning,
// else in single quotes.
std::string shell_quote(std::string_view word);

}  // namespace gibbous
