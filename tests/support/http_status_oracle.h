// Compares HttpStatusParser with a regular expression over the whole text, and with itself when the
// text is cut into reads. The fuzzer and http_parse_test.cc use it.
#pragma once

#include <re2/re2.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "runtime/wait/http_status_parser.h"

namespace gibbous::testing {

// Returns the status, 0 if more is needed, or -1 if the text is wrong. `cuts` has the lengths of
// the reads, cyclically.
inline int parsed_status(std::string_view text, std::string_view cuts) {
  HttpStatusParser parser;
  auto state = HttpStatusParser::State::kMore;
  std::size_t next_cut = 0;
  while (!text.empty() && state == HttpStatusParser::State::kMore) {
    const std::size_t wanted =
        cuts.empty() ? text.size()
                     : std::size_t{1} + static_cast<unsigned char>(cuts[next_cut++ % cuts.size()]);
    state = parser.feed(text.substr(0, wanted));
    text.remove_prefix(std::min(wanted, text.size()));
  }
  if (state == HttpStatusParser::State::kStatus) return parser.status();
  return state == HttpStatusParser::State::kMore ? 0 : -1;
}

// Returns "" or the difference.
inline std::string status_difference(std::string_view text, std::string_view cuts) {
  text = text.substr(0, kMaxHttpHeadBytes);
  static const RE2 kAnswer(
      "(?:HTTP/1\\.[0-9] 1[0-9][0-9](?: "
      "[^\\n]*)?\\r?\\n(?:[^\\r\\n][^\\n]*\\n|\\r[^\\n]+\\n)*\\r?\\n)*"
      "HTTP/1\\.[0-9] ([2-9][0-9][0-9])(?: [^\\n]*)?\\r?\\n",
      RE2::Latin1);
  int expected = 0;
  re2::StringPiece rest(text.data(), text.size());
  const bool answered = RE2::Consume(&rest, kAnswer, &expected);
  const int whole = parsed_status(text, "");
  const int cut = parsed_status(text, cuts);
  if (whole != cut) {
    return "at once " + std::to_string(whole) + ", in pieces " + std::to_string(cut);
  }
  if (answered ? whole != expected : whole > 0) {
    return "expected " + std::to_string(expected) + ", got " + std::to_string(whole);
  }
  return "";
}

}  // namespace gibbous::testing
