// Makes watchers and output from any bytes: regexes from a small grammar, and output that they
// often match, with all that makes lines look different. For the fuzzer and the tests of
// runtime/watch. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/watch/watch_spec.h"

namespace gibbous::testing {

class WatchInput {
 public:
  explicit WatchInput(std::string_view bytes) : bytes_(bytes) {}

  // Returns 0 to below - 1; 0 when the bytes are used up.
  std::size_t pick(std::size_t below) {
    if (at_ >= bytes_.size()) return 0;
    return static_cast<unsigned char>(bytes_[at_++]) % below;
  }
  bool rest() const { return at_ < bytes_.size(); }

  std::vector<WatchSpec> specs() {
    constexpr std::size_t kMostSpecs = 8;
    std::vector<WatchSpec> specs(pick(kMostSpecs) + 1);
    for (WatchSpec& spec : specs) {
      spec.event = "found";
      spec.regex = alternatives(kMaxDepth);
      spec.once = pick(8) == 1;
      spec.context_before = context();
      spec.context_after = context();
    }
    return specs;
  }

  std::string output(std::size_t pieces) {
    std::string output;
    for (std::size_t piece = 0; piece < pieces && rest(); ++piece) output += this->piece();
    return output;
  }

 private:
  static constexpr int kMaxDepth = 3;

  unsigned context() { return static_cast<unsigned>(pick(3) == 1 ? pick(4) : 0); }

  std::string alternatives(int depth) {
    std::string regex = sequence(depth);
    while (pick(4) == 1) regex += "|" + sequence(depth);
    return regex;
  }

  std::string sequence(int depth) {
    std::string regex = part(depth);
    while (pick(2) == 1) regex += part(depth);
    return regex;
  }

  std::string part(int depth) {
    static constexpr std::string_view kParts[] = {
        "error",  "warn",      "ready", "ok",  "ask",   "(?i)", "ERROR",       "a",     "b",
        ".",      ".*",        "^",     "$",   "\\b",   "\\B",  "\\A",         "\\z",   "\\s+",
        "\\d+",   "[^a]",      "[a-e]", "\\n", "é",     "(?m)", "(?-m)",       "(?s).", "\\C",
        "\\Qa.b", "(?P<n>ok)", "\\W",   "\\t", "[\\n]", "x*",   "(?i)risk",    "K",     "ſ",
        "✓ ",     "\\PL",      "foo",   "bar", "a{3}",  "()",   "[[:^alpha:]]"};
    if (depth > 0 && pick(4) == 1) {
      static constexpr std::string_view kRepeats[] = {"", "*", "+", "?", "{1,2}", "*?"};
      static constexpr std::string_view kOpen[] = {"(", "(?:", "(?i:", "(?s:", "(?-m:"};
      const std::string_view open = kOpen[pick(std::size(kOpen))];
      return std::string(open) + alternatives(depth - 1) + ")" +
             std::string(kRepeats[pick(std::size(kRepeats))]);
    }
    return std::string(kParts[pick(std::size(kParts))]);
  }

  std::string piece() {
    static constexpr std::string_view kPieces[] = {
        "error",   "Error",    "warn",    "ready",  "ok",         "ask", "a",       "aaa",  "b",
        " ",       "\n",       "\n",      "\n",     "\r\n",       "\r",  "\t",      "1",    "42",
        "é",       "✓ ",       "\x1b[1m", "\x1b[K", "\x1b]0;t\a", "\b",  "\xc3",    "\xff", "risK",
        "riſK",    "İ",        "ERROR",   "foo",    "bar",        "x",   "a.b",     "\x1b", "\x7f",
        "\x1bP\n", "\xc2\x9b", "erroR",   "fOo",    ": ",         "\v",  "\xe2\x84"};
    if (pick(64) == 1) return std::string(pick(8) * 1000, 'y');
    return std::string(kPieces[pick(std::size(kPieces))]);
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
};

}  // namespace gibbous::testing
