// The loops are written so that the compiler can vectorise them: no early exit, byte-wide sums.
#include "runtime/output/line_bytes.h"

#include <cstdint>

#include "runtime/output/escape.h"
#include "runtime/output/text.h"

namespace gibbous {
namespace {

constexpr std::size_t kMaxColourBytes = 32;

// Returns the length of the colour sequence (ESC [ digits ; : m) at the front of `text`, or 0.
std::size_t colour_size(std::string_view text) {
  if (text.size() < 3 || text[1] != '[') return 0;
  std::size_t at = 2;
  while (at < text.size() && at < kMaxColourBytes && text[at] >= '0' && text[at] <= ';') ++at;
  return at < text.size() && text[at] == 'm' ? at + 1 : 0;
}

}  // namespace

ByteKinds byte_kinds(std::string_view text) {
  std::uint8_t returns = 0;
  std::uint8_t controls = 0;
  std::uint8_t high = 0;
  for (const char c : text) {
    const auto byte = static_cast<std::uint8_t>(c);
    const auto is = [](bool fact) { return static_cast<std::uint8_t>(fact); };
    returns |= is(byte == '\r');
    controls |= static_cast<std::uint8_t>(
        (is(byte < 0x20) & is(byte != '\t') & is(byte != '\n') & is(byte != '\r')) |
        is(byte == 0x7f));
    high |= byte;
  }
  return {returns != 0, controls != 0, (high & 0x80) != 0};
}

bool is_clean(std::string_view text, ByteKinds kinds) {
  if (kinds.returns || kinds.controls) return false;
  if (!kinds.beyond_ascii) return true;
  // This lead byte begins U+0080 to U+00BF, half of which are controls.
  return text.find(kC1Lead) == std::string_view::npos && is_utf8(text);
}

void append_clean(std::string_view line, std::string& out) {
  const std::size_t begin = out.size();
  std::string_view rest = line;
  bool colours_only = true;
  while (colours_only) {
    const std::size_t escape = rest.find(kEscape);
    out.append(rest.substr(0, escape));
    if (escape == std::string_view::npos) break;
    rest.remove_prefix(escape);
    const std::size_t size = colour_size(rest);
    colours_only = size > 0;
    rest.remove_prefix(size);
  }
  const std::string_view text = std::string_view(out).substr(begin);
  if (colours_only && is_clean(text, byte_kinds(text))) return;
  out.resize(begin);
  out += clean(line);
}

}  // namespace gibbous
