// Text that others have written, made fit for HTML: content and quoted attributes alike. Pure, any
// thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gibbous::report {

// One line of valid UTF-8 with nothing in it that does not show, & < > " ' as references. Cut at
// about `most` bytes of `text`, and says so.
std::string escaped(std::string_view text, std::size_t most);

// The same references for text that may have line ends and that is bounded already; what does not
// show is left as it is but for controls, which become U+FFFD.
void append_escaped(std::string& html, std::string_view utf8);

// "12.34%", of a part of the whole in 0..1.
std::string percent(double part);

}  // namespace gibbous::report
