#include "runtime/rules/quote.h"

namespace gibbous::rules {
namespace {

constexpr char kHexDigits[] = "0123456789abcdef";

void append_escaped(char character, std::string& out) {
  const auto byte = static_cast<unsigned char>(character);
  if (character == '"' || character == '\\') {
    out += '\\';
    out += character;
  } else if (character == '\n') {
    out += "\\n";
  } else if (character == '\t') {
    out += "\\t";
  } else if (byte >= 0x20 && byte < 0x7F) {
    out += character;
  } else {
    out += "\\x";
    out += kHexDigits[byte >> 4U];
    out += kHexDigits[byte & 0xFU];
  }
}

}  // namespace

std::string quote(std::string_view text) {
  std::string quoted = "\"";
  for (const char character : text.substr(0, kMaxQuotedBytes)) append_escaped(character, quoted);
  if (text.size() > kMaxQuotedBytes) quoted += "...";
  quoted += '"';
  return quoted;
}

}  // namespace gibbous::rules
