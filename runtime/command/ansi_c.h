// Decodes the inside of $'...' as bash 5.2 does. The parser calls it. Any thread.
#pragma once

#include <string>
#include <string_view>

namespace gibbous::command {

// `inside` is the text between the quotes. \u and \U become UTF-8. An escape for NUL ends the
// string, as in bash.
std::string decode_ansi_c(std::string_view inside);

}  // namespace gibbous::command
