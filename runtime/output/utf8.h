// One step of UTF-8 decoding by Unicode (table 3-7) and WHATWG: a whole well-formed sequence, or
// the maximal part of an ill-formed one, which one U+FFFD replaces. Pure, any thread.
#pragma once

#include <cstddef>
#include <string_view>

namespace gibbous {

inline constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
inline constexpr std::size_t kMaxUtf8Bytes = 4;

struct Utf8Step {
  std::size_t size = 0;  // bytes to advance by, at least 1
  bool valid = false;
  bool incomplete = false;  // ill-formed only because `bytes` ends here
};

constexpr bool is_utf8_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

// Returns the sequence at the beginning of `bytes`, which must not be empty.
Utf8Step utf8_step(std::string_view bytes);

}  // namespace gibbous
