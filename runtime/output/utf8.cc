// UTF-8: validation, repair, and finding where a sequence is cut.
#include "runtime/output/utf8.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "runtime/output/text.h"

namespace gibbous {
namespace {

// What the first byte of a sequence determines: how many bytes follow, and the range of the second,
// which excludes overlong forms, surrogates and everything beyond U+10FFFF.
struct Lead {
  std::size_t more = 0;
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
  bool valid = false;
};

Lead lead_of(unsigned char byte) {
  if (byte < 0x80) return {.more = 0, .valid = true};
  if (byte < 0xC2) return {};
  if (byte < 0xE0) return {.more = 1, .valid = true};
  if (byte == 0xE0) return {.more = 2, .low = 0xA0, .valid = true};
  if (byte == 0xED) return {.more = 2, .high = 0x9F, .valid = true};
  if (byte < 0xF0) return {.more = 2, .valid = true};
  if (byte == 0xF0) return {.more = 3, .low = 0x90, .valid = true};
  if (byte < 0xF4) return {.more = 3, .valid = true};
  if (byte == 0xF4) return {.more = 3, .high = 0x8F, .valid = true};
  return {};
}

// Returns how many bytes from the front are ASCII, in whole words first.
std::size_t ascii_prefix(std::string_view bytes) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080U;
  std::size_t at = 0;
  while (bytes.size() - at >= sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    if ((word & kHighBits) != 0) break;
    at += sizeof word;
  }
  while (at < bytes.size() && static_cast<unsigned char>(bytes[at]) < 0x80) ++at;
  return at;
}

// Returns how many bytes from the front are well-formed.
std::size_t valid_prefix(std::string_view bytes) {
  std::size_t at = 0;
  for (;;) {
    at += ascii_prefix(bytes.substr(at));
    if (at == bytes.size()) return at;
    const Utf8Step step = utf8_step(bytes.substr(at));
    if (!step.valid) return at;
    at += step.size;
  }
}

}  // namespace

Utf8Step utf8_step(std::string_view bytes) {
  const Lead lead = lead_of(static_cast<unsigned char>(bytes[0]));
  if (!lead.valid) return {.size = 1};
  for (std::size_t i = 1; i <= lead.more; ++i) {
    if (i == bytes.size()) return {.size = i, .incomplete = true};
    const auto byte = static_cast<unsigned char>(bytes[i]);
    const bool fits = i == 1 ? byte >= lead.low && byte <= lead.high : byte >= 0x80 && byte <= 0xBF;
    if (!fits) return {.size = i};
  }
  return {.size = lead.more + 1, .valid = true};
}

bool is_utf8(std::string_view raw) {
  return valid_prefix(raw) == raw.size();
}

std::string to_utf8(std::string_view raw) {
  std::string text;
  text.reserve(raw.size());
  for (;;) {
    const std::size_t good = valid_prefix(raw);
    text.append(raw.substr(0, good));
    raw.remove_prefix(good);
    if (raw.empty()) return text;
    text.append(kReplacement);
    raw.remove_prefix(utf8_step(raw).size);
  }
}

std::size_t incomplete_utf8_tail(std::string_view raw) {
  const std::size_t longest = std::min(raw.size(), kMaxUtf8Bytes - 1);
  for (std::size_t size = 1; size <= longest; ++size) {
    const std::string_view tail = raw.substr(raw.size() - size);
    if (is_utf8_continuation(tail[0])) continue;
    const Utf8Step step = utf8_step(tail);
    return step.incomplete && step.size == size ? size : 0;
  }
  return 0;
}

}  // namespace gibbous
