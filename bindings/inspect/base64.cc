// See base64.h.
#include "bindings/inspect/base64.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace gibbous::inspect {

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  constexpr std::size_t kGroup = 3;
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += kGroup) {
    const std::size_t size = std::min(kGroup, bytes.size() - at);
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < kGroup; ++i) {
      group = group << 8U | (i < size ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    }
    for (std::size_t i = 0; i <= kGroup; ++i) {
      text += i <= size ? kDigits[group >> (18 - 6 * i) & 0x3FU] : '=';
    }
  }
  return text;
}

}  // namespace gibbous::inspect
