// Shared by the literal finders: bytes without regard to case, and how rare each is in output.
// Pure, any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace gibbous {

// Makes letters lower-case. Some other bytes become equal too, so a hit is only a candidate.
inline constexpr std::uint8_t kFoldBit = 0x20;

constexpr std::uint8_t fold(char byte) {
  return static_cast<std::uint8_t>(static_cast<std::uint8_t>(byte) | kFoldBit);
}

// Returns true if `literal` is at `at` in `text`, both folded.
inline bool folded_at(std::string_view text, std::size_t at, std::string_view literal) {
  if (at > text.size() || literal.size() > text.size() - at) return false;
  for (std::size_t i = 0; i < literal.size(); ++i) {
    if (fold(text[at + i]) != fold(literal[i])) return false;
  }
  return true;
}

// Returns a higher value for a byte that is rarer in logs of builds and servers.
constexpr std::size_t rarity(char byte) {
  constexpr std::string_view kCommonFirst = " etaoinsrlcdpm/u.-10:_2hgf35bv4[]6789()wyk=x,'\"jqz";
  const std::uint8_t folded = fold(byte);
  for (std::size_t at = 0; at < kCommonFirst.size(); ++at) {
    if (fold(kCommonFirst[at]) == folded) return at;
  }
  return kCommonFirst.size();
}

}  // namespace gibbous
