// Escape sequences: one pass, no allocation. An introducer without a sequence is dropped alone, so
// that a stray byte swallows no text.
#include "runtime/output/escape.h"

#include <algorithm>

#include "runtime/output/text.h"

namespace gibbous {
namespace {

constexpr char kBell = '\x07';
constexpr char kCancel = '\x18';
constexpr char kSubstitute = '\x1A';
constexpr char kC1StringEnd = '\x9C';

bool between(char byte, unsigned char low, unsigned char high) {
  const auto value = static_cast<unsigned char>(byte);
  return value >= low && value <= high;
}

EscapeEffect effect_of(std::string_view parameters, char final) {
  if (final == 'K') {
    if (parameters.empty() || parameters == "0") return EscapeEffect::kEraseToEnd;
    if (parameters == "1") return EscapeEffect::kEraseToStart;
    if (parameters == "2") return EscapeEffect::kEraseLine;
  }
  if (final == 'G' && (parameters.empty() || parameters == "0" || parameters == "1")) {
    return EscapeEffect::kFirstColumn;
  }
  return EscapeEffect::kNone;
}

// `start` is where the parameters begin.
Escape control_sequence(std::string_view bytes, std::size_t start) {
  const std::size_t limit = std::min(bytes.size(), kMaxCsiBytes);
  std::size_t at = start;
  while (at < limit && between(bytes[at], 0x20, 0x3F)) ++at;
  if (at == bytes.size()) return {.size = at, .incomplete = true};
  if (at == limit || !between(bytes[at], 0x40, 0x7E)) return {.size = at};
  return {.size = at + 1, .effect = effect_of(bytes.substr(start, at - start), bytes[at])};
}

// `start` is where the string begins. BEL, ST, CAN, SUB or another sequence ends it.
Escape control_string(std::string_view bytes, std::size_t start, bool one_line) {
  const std::size_t limit = std::min(bytes.size(), start + kMaxStringBytes);
  std::size_t newline = 0;
  for (std::size_t at = start; at < limit; ++at) {
    const char byte = bytes[at];
    if (byte == kBell || byte == kCancel || byte == kSubstitute) return {.size = at + 1};
    if (byte == kEscape || byte == kC1Lead) {
      if (at + 1 == bytes.size()) return {.size = at + 1, .incomplete = true};
      if (bytes[at + 1] == (byte == kEscape ? '\\' : kC1StringEnd)) return {.size = at + 2};
      // Stopping at every introducer also keeps a text full of them linear.
      if (byte == kEscape || between(bytes[at + 1], 0x80, 0x9F)) return {.size = at};
    }
    if (byte == '\n') {
      if (one_line) return {.size = at};
      if (newline == 0) newline = at;
    }
  }
  // There is no end: the first line of the string is dropped, and the rest is text.
  const bool incomplete = limit == bytes.size() && newline == 0;
  return {.size = newline > 0 ? newline : limit, .incomplete = incomplete};
}

Escape after_introducer(std::string_view bytes, std::size_t start, char introducer) {
  switch (introducer) {
    case '[':
      return control_sequence(bytes, start);
    case ']':
      return control_string(bytes, start, /*one_line=*/true);
    case 'P':  // DCS
    case 'X':  // SOS
    case '^':  // PM
    case '_':  // APC
      return control_string(bytes, start, /*one_line=*/false);
    default:
      return {.size = start};
  }
}

}  // namespace

Escape escape_at(std::string_view bytes) {
  if (bytes[0] == kC1Lead && bytes.size() > 1 && between(bytes[1], 0x80, 0x9F)) {
    constexpr unsigned char kC1ToAscii = 0x40;  // U+009B is ESC [, and so on
    return after_introducer(bytes, 2, static_cast<char>(bytes[1] - kC1ToAscii));
  }
  if (bytes[0] != kEscape) return {};
  if (bytes.size() == 1) return {.size = 1, .incomplete = true};
  const char second = bytes[1];
  if (between(second, 0x30, 0x7E)) return after_introducer(bytes, 2, second);
  if (!between(second, 0x20, 0x2F)) return {.size = 1};
  // Intermediates, then one final byte: character sets and the like.
  const std::size_t limit = std::min(bytes.size(), kMaxCsiBytes);
  std::size_t at = 2;
  while (at < limit && between(bytes[at], 0x20, 0x2F)) ++at;
  if (at == bytes.size()) return {.size = at, .incomplete = true};
  return {.size = at < limit && between(bytes[at], 0x30, 0x7E) ? at + 1 : at};
}

ShownText without_escapes(std::string_view bytes) {
  ShownText shown;
  for (std::size_t at = 0; at < bytes.size();) {
    const bool begins = bytes[at] == kEscape || bytes[at] == kC1Lead;
    const std::size_t size = begins ? escape_at(bytes.substr(at)).size : 0;
    if (size == 0) {
      shown.text += bytes[at];
      shown.places.push_back(at);
    }
    at += std::max<std::size_t>(size, 1);
  }
  return shown;
}

std::size_t incomplete_escape_tail(std::string_view raw) {
  const std::size_t lowest = raw.size() - std::min(raw.size(), kMaxEscapeTail);
  std::size_t incomplete = 0;
  // Searches backwards, because the ESC that ends a string may be the last byte of a sequence that
  // began earlier.
  for (std::size_t at = raw.size(); at-- > lowest;) {
    if (raw[at] != kEscape && raw[at] != kC1Lead) continue;
    const Escape escape = escape_at(raw.substr(at));
    if (escape.size == 0) continue;
    if (!escape.incomplete) break;
    incomplete = raw.size() - at;
  }
  return incomplete;
}

}  // namespace gibbous
