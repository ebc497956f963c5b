// decode_ansi_c(): one pass over the text between the quotes.
#include "runtime/command/ansi_c.h"

namespace gibbous::command {

std::optional<std::string> decode_ansi_c(std::string_view inside) {
  constexpr std::string_view kNames = "abeEfnrtv\\'\"?";
  constexpr std::string_view kMeanings = "\a\b\033\033\f\n\r\t\v\\'\"?";
  constexpr std::string_view kDigits = "0123456789abcdef0123456789ABCDEF";
  constexpr std::string_view kNotRead = "uUc";  // characters of Unicode, and control characters
  std::string made;
  std::size_t at = 0;
  const auto number = [&](std::size_t base, std::size_t most) {
    std::size_t value = 0;
    for (std::size_t count = 0; count < most && at < inside.size(); ++count, ++at) {
      const std::size_t digit = kDigits.find(inside[at]);
      if (digit == std::string_view::npos || digit % 16 >= base) break;
      value = value * base + digit % 16;
    }
    return static_cast<char>(value & 0xFFU);
  };
  while (at < inside.size()) {
    const char c = inside[at++];
    if (c != '\\' || at == inside.size()) {
      made += c;
      continue;
    }
    const char kind = inside[at++];
    const std::size_t begin = at;
    if (const std::size_t which = kNames.find(kind); which != std::string_view::npos) {
      made += kMeanings[which];
    } else if ((kind >= '0' && kind <= '7') || kind == 'x') {
      if (kind != 'x') --at;
      const char byte = number(kind == 'x' ? 16 : 8, kind == 'x' ? 2 : 3);
      // "\x{41}", and NUL, which ends the text.
      if ((kind == 'x' && at == begin) || byte == '\0') return std::nullopt;
      made += byte;
    } else if (kNotRead.find(kind) != std::string_view::npos) {
      return std::nullopt;
    } else {
      made += '\\';
      made += kind;
    }
  }
  return made;
}

}  // namespace gibbous::command
