// Decodes the inside of $'...' as bash 5.2 does. Called by the parser. Any thread.
#pragma once

#include <string>
#include <string_view>

namespace gibbous::command {

// `inside` is what stands between the quotes. \u and \U become UTF-8. An escape that is a NUL ends
// the string, as it does in bash.
std::string decode_ansi_c(std::string_view inside);

}  // namespace gibbous::command
