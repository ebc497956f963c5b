// Text views of raw output: what a person would see of it, as valid UTF-8. Pure functions, any
// thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gibbous {

struct CleanOptions {
  // Escape sequences (CSI, OSC, DCS, charset, single-character; C1 controls only as UTF-8
  // characters, a bare byte of theirs is invalid UTF-8) and other controls but \t \n, and \r \b
  // when those are not resolved.
  bool strip_ansi = true;
  // "10%\r20%\n" shows "20%", "abc\rX" shows "Xbc"; "\r\n" is a line end; backspaces erase. With
  // escape sequences kept, what comes after a return replaces the line as a whole.
  bool resolve_returns = true;
  // Invalid UTF-8 becomes U+FFFD, one for each maximal ill-formed part.
  bool replace_invalid = true;
};

// Linear in time and memory, whatever comes. A sequence that has no end is given up at the end of
// its line (OSC), after 64 KiB (DCS and its like) or after 256 bytes (CSI).
std::string clean(std::string_view raw, CleanOptions options = {});
// Valid UTF-8, U+FFFD for what was not; nothing else changed.
std::string to_utf8(std::string_view raw);
bool is_utf8(std::string_view raw);
// How many bytes at the end of `raw` are the beginning of a UTF-8 sequence whose rest is missing
// (0-3).
std::size_t incomplete_utf8_tail(std::string_view raw);
// How many bytes at the end of `raw` are the beginning of an escape sequence whose rest is missing:
// who cleans output piece by piece leaves them for the next piece. At most kMaxEscapeTail.
inline constexpr std::size_t kMaxEscapeTail = 256;
std::size_t incomplete_escape_tail(std::string_view raw);

}  // namespace gibbous
