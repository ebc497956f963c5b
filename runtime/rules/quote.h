// Parts of commands inside messages: escaped and bounded, since they come from models and files.
// Pure, any thread.
#pragma once

#include <string>
#include <string_view>

namespace gibbous::rules {

inline constexpr std::size_t kMaxQuotedBytes = 96;

// In double quotes; \n \t \" \\ and \xNN for all that is not printable ASCII; "..." for the rest.
std::string quote(std::string_view text);

}  // namespace gibbous::rules
