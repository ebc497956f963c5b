// escaped: text of a stranger, made fit for a terminal and a log.
#include <string>

#include "runtime/command/analyser.h"

namespace gibbous::command {

// Control characters, invisible and bidirectional ones become \x.. or \u....; cut at `most` bytes.
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
