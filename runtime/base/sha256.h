// SHA-256 of text, as lower-case hex: tells whether a file is still what was read. Pure, any
// thread.
#pragma once

#include <string>
#include <string_view>

namespace gibbous {

std::string sha256_hex(std::string_view bytes);

}  // namespace gibbous
