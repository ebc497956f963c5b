// Text views of raw output: what a person would see, as valid UTF-8. Pure functions, any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gibbous {

struct CleanOptions {
  // Removes escape sequences (CSI, OSC, DCS, charset, single-character; C1 controls only as UTF-8
  // characters, because their bare bytes are invalid UTF-8) and other controls except \t \n, and \r
  // \b when those are not resolved.
  bool strip_ansi = true;
  // "10%\r20%\n" shows "20%", "abc\rX" shows "Xbc"; "\r\n" is a line end; backspaces erase. With
  // escape sequences kept, what comes after a return replaces the line as a whole.
  bool resolve_returns = true;
  // Invalid UTF-8 becomes U+FFFD, one for each maximal ill-formed part.
  bool replace_invalid = true;
};

// Linear in time and memory for any input. A sequence without an end is given up at the end of its
// line (OSC), after 64 KiB (DCS and the like) or after 256 bytes (CSI).
std::string clean(std::string_view raw, CleanOptions options = {});
// Returns valid UTF-8: U+FFFD replaces invalid parts, and nothing else changes.
std::string to_utf8(std::string_view raw);
bool is_utf8(std::string_view raw);
// Returns how many bytes at the end of `raw` begin a UTF-8 sequence whose rest is missing (0-3).
std::size_t incomplete_utf8_tail(std::string_view raw);
// Returns how many bytes at the end of `raw` begin an escape sequence whose rest is missing, at
// most kMaxEscapeTail. Code that cleans output piece by piece leaves them for the next piece.
inline constexpr std::size_t kMaxEscapeTail = 256;
std::size_t incomplete_escape_tail(std::string_view raw);

}  // namespace gibbous
