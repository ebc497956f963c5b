// Escapes untrusted text for HTML, in content and in quoted attributes. Pure, any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gibbous::report {

// One printable line of UTF-8 with & < > " ' as references. Cut after about `most` bytes of `text`,
// with a note.
std::string escaped(std::string_view text, std::size_t most);

// The same references for text that is bounded already and may have line ends. Control characters
// become U+FFFD.
void append_escaped(std::string& html, std::string_view utf8);

// Formats a part of 1 as "12.34%".
std::string percent(double part);

}  // namespace gibbous::report
