// See base64.h.
#include "bindings/json/base64.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace gibbous {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::size_t kGroup = 3;  // bytes
constexpr std::size_t kGroupDigits = 4;

// Returns the number of `=` at the end, at most two.
std::size_t padding_of(std::string_view text) {
  std::size_t count = 0;
  while (count < 2 && count < text.size() && text[text.size() - 1 - count] == '=') ++count;
  return count;
}

bool is_digit(char letter) {
  return (letter >= 'A' && letter <= 'Z') || (letter >= 'a' && letter <= 'z') ||
         (letter >= '0' && letter <= '9') || letter == '+' || letter == '/';
}

}  // namespace

std::string base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + kGroup - 1) / kGroup * kGroupDigits);
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

bool is_base64(std::string_view text) {
  if (text.size() % kGroupDigits != 0) return false;
  const std::string_view digits = text.substr(0, text.size() - padding_of(text));
  return std::all_of(digits.begin(), digits.end(), is_digit);
}

std::size_t base64_size(std::string_view text) {
  return text.size() / kGroupDigits * kGroup - padding_of(text);
}

}  // namespace gibbous
