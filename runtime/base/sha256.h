// SHA-256 of text, as lower-case hex. Used to check whether a file has changed. Pure, any thread.
#pragma once

#include <string>
#include <string_view>

namespace gibbous {

std::string sha256_hex(std::string_view bytes);

}  // namespace gibbous
