// Encodes bytes as base64 (RFC 4648, with padding). Pure, any thread.
#pragma once

#include <string>
#include <string_view>

namespace gibbous::inspect {

std::string base64(std::string_view bytes);

}  // namespace gibbous::inspect
