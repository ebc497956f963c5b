// Properties of clean(), to_utf8() and excerpt() for any bytes. The fuzzer
// (tests/fuzz/text_fuzz.cc) checks them, and the tests of runtime/output do so over random input.
// Any thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/output/excerpt.h"
#include "runtime/output/stream.h"
#include "runtime/output/text.h"

namespace gibbous::testing {

// The decoder of the WHATWG's Encoding standard, written as there: one byte at a time, with its
// state.
inline std::string whatwg_utf8(std::string_view raw) {
  std::string text;
  std::string held;  // bytes of the current sequence
  unsigned needed = 0;
  unsigned char lower = 0x80;
  unsigned char upper = 0xBF;
  const auto replace = [&] {
    text += "\xEF\xBF\xBD";
    held.clear();
    needed = 0;
    lower = 0x80;
    upper = 0xBF;
  };
  for (std::size_t at = 0; at < raw.size();) {
    const auto byte = static_cast<unsigned char>(raw[at]);
    if (needed == 0) {
      ++at;
      if (byte < 0x80) {
        text += raw[at - 1];
        continue;
      }
      held = raw[at - 1];
      if (byte >= 0xC2 && byte <= 0xDF) {
        needed = 1;
      } else if (byte >= 0xE0 && byte <= 0xEF) {
        needed = 2;
        if (byte == 0xE0) lower = 0xA0;
        if (byte == 0xED) upper = 0x9F;
      } else if (byte >= 0xF0 && byte <= 0xF4) {
        needed = 3;
        if (byte == 0xF0) lower = 0x90;
        if (byte == 0xF4) upper = 0x8F;
      } else {
        replace();
      }
    } else if (byte < lower || byte > upper) {
      replace();  // and decode the byte again
    } else {
      ++at;
      lower = 0x80;
      upper = 0xBF;
      held += raw[at - 1];
      if (--needed == 0) text += std::exchange(held, {});
    }
  }
  if (needed > 0) replace();
  return text;
}

// Returns what is wrong with the results of the text functions for `raw`, or "".
inline std::string clean_problem(std::string_view raw) {
  constexpr std::size_t kMaxGrowth = 3;  // a byte may become U+FFFD
  const std::string repaired = to_utf8(raw);
  if (repaired != whatwg_utf8(raw)) return "to_utf8 differs from the WHATWG decoder";
  if (is_utf8(raw) != (repaired == raw)) return "is_utf8 and to_utf8 disagree";
  if (incomplete_utf8_tail(raw) > std::min<std::size_t>(raw.size(), 3))
    return "UTF-8 tail too long";
  if (incomplete_escape_tail(raw) > std::min(raw.size(), kMaxEscapeTail))
    return "escape tail too long";

  const std::string text = clean(raw);
  if (!is_utf8(text)) return "clean gives invalid UTF-8";
  if (text.size() > kMaxGrowth * raw.size()) return "clean grows";
  if (std::count(text.begin(), text.end(), '\n') > std::count(raw.begin(), raw.end(), '\n')) {
    return "clean makes lines";
  }
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const bool is_control = (byte < 0x20 && byte != '\t' && byte != '\n') || byte == 0x7F;
    const bool is_c1 = byte == 0xC2 && static_cast<unsigned char>(text[at + 1]) < 0xA0;
    if (is_control || is_c1) return "clean leaves a control";
  }
  if (clean(text) != text) return "clean of clean differs";
  for (unsigned flags = 0; flags < 8; ++flags) {
    const CleanOptions options{.strip_ansi = (flags & 1U) != 0,
                               .resolve_returns = (flags & 2U) != 0,
                               .replace_invalid = (flags & 4U) != 0};
    const std::string result = clean(raw, options);
    if (options.replace_invalid && !is_utf8(result)) return "an option gives invalid UTF-8";
    if (flags == 0 && result != raw) return "without options clean changes something";
  }
  return {};
}

// Returns what is wrong with an excerpt of `raw`, fed in pieces of `piece` bytes into a ring of
// `ring`.
inline std::string excerpt_problem(std::string_view raw, std::size_t budget_tokens,
                                   std::size_t ring, std::size_t head, std::size_t piece) {
  Stream stream(ring, head);
  for (std::size_t at = 0; at < raw.size(); at += piece) stream.append(raw.substr(at, piece));
  if (raw.size() % 2 == 0) stream.set_ended();
  const ExcerptOptions options{.budget_tokens = budget_tokens};
  const Excerpt result = excerpt(stream, options);
  if (result.text.size() > budget_tokens * kBytesPerToken) return "beyond the budget";
  if (!is_utf8(result.text)) return "invalid UTF-8";
  if (result.complete != result.cut.empty()) return "complete, but cut";
  Offset last = 0;
  for (const Gap& cut : result.cut) {
    if (cut.from >= cut.to || cut.from < last || cut.to > stream.end())
      return "cuts are not in order";
    last = cut.to;
  }
  if (stream.begin() > stream.head_end() && result.complete)
    return "complete, though bytes are gone";
  const Excerpt again = excerpt(stream, options);
  if (again.text != result.text || again.cut.size() != result.cut.size())
    return "not deterministic";
  return {};
}

}  // namespace gibbous::testing
