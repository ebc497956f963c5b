// Escape sequences (ECMA-48, as terminals implement it): how long one is, and the two kinds that
// change what a line shows. Pure, any thread.
//
// C1 controls count only as UTF-8 characters: a bare byte 0x80-0x9F is invalid UTF-8, and never
// cuts a character.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gibbous {

inline constexpr std::size_t kMaxCsiBytes = 256;
inline constexpr std::size_t kMaxStringBytes = std::size_t{64} << 10;  // OSC, DCS, SOS, PM, APC

enum class EscapeEffect : unsigned char {
  kNone,
  kEraseToEnd,    // CSI K: from the cursor to the end of the line
  kEraseToStart,  // CSI 1 K
  kEraseLine,     // CSI 2 K
  kFirstColumn,   // CSI G: like a return
};

struct Escape {
  std::size_t size = 0;  // 0: no escape sequence begins here
  EscapeEffect effect = EscapeEffect::kNone;
  bool incomplete = false;  // `bytes` ends before the sequence does
};

constexpr char kEscape = '\x1B';
// In UTF-8, a C1 control is this byte and one of 0x80-0x9F.
constexpr char kC1Lead = '\xC2';

// Returns the sequence at the front of `bytes`, which begins with ESC or a C1 control in UTF-8.
Escape escape_at(std::string_view bytes);

// Text as a terminal shows it, and where each of its bytes is in what was printed.
struct ShownText {
  std::string text;
  std::vector<std::size_t> places;
};
ShownText without_escapes(std::string_view bytes);

}  // namespace gibbous
