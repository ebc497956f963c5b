// Escape sequences (ECMA-48, and what terminals made of it): how long one is, and the two kinds
// that change what a line shows. Pure, any thread.
#pragma once

#include <cstddef>
#include <string_view>

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
// C1 controls as UTF-8 are this byte and one of 0x80-0x9F.
constexpr char kC1Lead = '\xC2';

// The sequence that begins at the front of `bytes`, at an ESC or at a C1 control in UTF-8.
Escape escape_at(std::string_view bytes);

}  // namespace gibbous
