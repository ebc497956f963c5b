// See html.h.
#include "bindings/inspect/report/html.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "bindings/stdio/question_text.h"
#include "runtime/output/utf8.h"

namespace gibbous::report {
namespace {

std::string_view reference_of(char byte) {
  switch (byte) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

bool is_control(char byte) {
  const auto value = static_cast<unsigned char>(byte);
  return (value < 0x20 && byte != '\n' && byte != '\t') || value == 0x7F;
}

}  // namespace

void append_escaped(std::string& html, std::string_view utf8) {
  for (const char byte : utf8) {
    const std::string_view reference = reference_of(byte);
    if (!reference.empty()) {
      html += reference;
    } else if (is_control(byte)) {
      html += kReplacement;
    } else {
      html += byte;
    }
  }
}

std::string escaped(std::string_view text, std::size_t most) {
  std::string html;
  append_escaped(html, stdio::printable(text, most));
  return html;
}

std::string percent(double part) {
  constexpr double kWhole = 100;
  constexpr std::size_t kTextBytes = 16;
  std::array<char, kTextBytes> text{};
  std::snprintf(text.data(), text.size(), "%.3f%%", std::clamp(part, 0.0, 1.0) * kWhole);
  return text.data();
}

}  // namespace gibbous::report
