// Encodes bytes as base64 (RFC 4648, with padding). Pure, any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gibbous {

std::string base64(std::string_view bytes);
// Returns true for what base64() makes: whole groups, padding at the end alone, no line breaks.
bool is_base64(std::string_view text);
// Returns the number of bytes that such a text stands for.
std::size_t base64_size(std::string_view text);

}  // namespace gibbous
