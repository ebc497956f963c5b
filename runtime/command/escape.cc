// Escapes untrusted text for terminals and logs.
#include <algorithm>
#include <string>

#include "runtime/command/analyser.h"

namespace gibbous::command {
namespace {

// Bidirectional controls and invisible characters.
bool invisible(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t offset) {
    return at + offset < text.size() ? static_cast<unsigned char>(text[at + offset]) : 0U;
  };
  if (byte(0) == 0xC2 && byte(1) >= 0x80 && byte(1) <= 0x9F) return true;             // C1
  if (byte(0) == 0xD8 && byte(1) == 0x9C) return true;                                // U+061C
  if (byte(0) == 0xE1 && byte(1) == 0xA0 && byte(2) == 0x8E) return true;             // U+180E
  if (byte(0) == 0xF3 && byte(1) == 0xA0) return byte(2) == 0x80 || byte(2) == 0x81;  // tags
  // Joiners (U+200C, U+200D) are part of scripts and of emoji.
  if (byte(0) == 0xE2 && byte(1) == 0x80) {
    return byte(2) == 0x8B || byte(2) == 0x8E || byte(2) == 0x8F ||
           (byte(2) >= 0xAA && byte(2) <= 0xAE);
  }
  if (byte(0) == 0xE2 && byte(1) == 0x81) return byte(2) >= 0xA0 && byte(2) <= 0xA9;
  return byte(0) == 0xEF && byte(1) == 0xBB && byte(2) == 0xBF;
}

}  // namespace

bool has_invisible(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte < 0x80) {
      const bool blank = byte == '\t' || byte == '\n';
      const bool line_end = byte == '\r' && at + 1 < text.size() && text[at + 1] == '\n';
      if ((byte < ' ' && !blank && !line_end) || byte == 0x7F) return true;
    } else if (invisible(text, at)) {
      return true;
    }
  }
  return false;
}

// Replaces control, invisible and bidirectional characters by \x.. or \u...., and cuts at `most`
// bytes.
std::string escaped(std::string_view text, std::size_t most) {
  static const char* const kDigits = "0123456789abcdef";
  std::string made;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (made.size() >= most) return made + "...";
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte == '\n' || byte == '\t') {
      made += byte == '\n' ? "\\n" : "\\t";
    } else if (byte < ' ' || byte == 0x7F || (byte >= 0x80 && has_invisible(text.substr(at, 3)))) {
      const std::size_t width = byte < 0x80 ? 1 : std::min<std::size_t>(3, text.size() - at);
      for (std::size_t each = 0; each < width; ++each) {
        const auto one = static_cast<unsigned char>(text[at + each]);
        made += "\\x";
        made += kDigits[one >> 4];
        made += kDigits[one & 15];
      }
      at += width - 1;
    } else {
      made += text[at];
    }
  }
  return made;
}

}  // namespace gibbous::command
