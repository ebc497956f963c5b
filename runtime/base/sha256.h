// SHA-256 of text, as lower-case hex. Used to check whether a file has changed, and by whom. Pure,
// any thread.
#pragma once

#include <string>
#include <string_view>

namespace gibbous {

std::string sha256_hex(std::string_view bytes);
// HMAC-SHA256 (RFC 2104), as lower-case hex. `key`: at most 64 bytes.
std::string hmac_sha256_hex(std::string_view key, std::string_view bytes);

}  // namespace gibbous
