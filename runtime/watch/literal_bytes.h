// What the finders of literals share: bytes without regard to case, and how common each is in
// output. Pure, any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace gibbous {

// Letters become lower-case; some other bytes become one, too, which is why what is found this way
// is a candidate only.
inline constexpr std::uint8_t kFoldBit = 0x20;

constexpr std::uint8_t fold(char byte) {
  return static_cast<std::uint8_t>(static_cast<std::uint8_t>(byte) | kFoldBit);
}

// `literal` lies at `at` in `text`, folded.
inline bool folded_at(std::string_view text, std::size_t at, std::string_view literal) {
  if (at > text.size() || literal.size() > text.size() - at) return false;
  for (std::size_t i = 0; i < literal.size(); ++i) {
    if (fold(text[at + i]) != fold(literal[i])) return false;
  }
  return true;
}

// The higher the rarer in logs of builds and servers.
constexpr std::size_t rarity(char byte) {
  constexpr std::string_view kCommonFirst = " etaoinsrlcdpm/u.-10:_2hgf35bv4[]6789()wyk=x,'\"jqz";
  const std::uint8_t folded = fold(byte);
  for (std::size_t at = 0; at < kCommonFirst.size(); ++at) {
    if (fold(kCommonFirst[at]) == folded) return at;
  }
  return kCommonFirst.size();
}

}  // namespace gibbous
