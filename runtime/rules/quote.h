// Quotes parts of commands in messages: escaped and bounded, because they come from models and
// files. Pure, any thread.
#pragma once

#include <string>
#include <string_view>

namespace gibbous::rules {

inline constexpr std::size_t kMaxQuotedBytes = 96;

// Returns the text in double quotes, with \n \t \" \\ and \xNN for all that is not printable ASCII,
// and "..." for the rest.
std::string quote(std::string_view text);

}  // namespace gibbous::rules
