// The text that bash makes of $'...'.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gibbous::command {

// `inside` is what stands between the quotes. Returns nothing where that is not understood: \u, \U,
// \c, \x without digits, and NUL.
std::optional<std::string> decode_ansi_c(std::string_view inside);

}  // namespace gibbous::command
