// Compares the scanner with its definition: each line alone, by RE2, raw and then cleaned.
#include "runtime/wait/line_scanner.h"

#include <re2/re2.h>

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "runtime/output/text.h"
#include "tests/support/catch.h"

using gibbous::kMaxMatchedLineBytes;
using gibbous::LinePattern;
using gibbous::LineScanner;
using gibbous::Offset;
using gibbous::Stream;

namespace {

std::shared_ptr<LinePattern> compile(const std::string& pattern) {
  auto compiled = LinePattern::compile(pattern);
  INFO("pattern: " << pattern);
  REQUIRE(compiled);
  return compiled.value();
}

LineScanner scanner(const std::string& pattern, Offset since = 0) {
  return LineScanner(compile(pattern), since);
}

std::vector<Offset> all_hits(LineScanner& scanner, const Stream& stream) {
  std::vector<Offset> found;
  while (auto hit = scanner.next(stream)) found.push_back(hit->from);
  return found;
}

std::vector<std::string> hit_lines(const std::string& pattern, const std::string& text) {
  Stream stream;
  stream.append(text);
  LineScanner scan = scanner(pattern);
  std::vector<std::string> lines;
  while (auto hit = scan.next(stream)) lines.push_back(hit->match.line);
  while (auto hit = scan.next_partial(stream)) lines.push_back(hit->match.line);
  return lines;
}

// The definition again, written as simply as possible.
class Reference {
 public:
  explicit Reference(const std::string& pattern) : regex_(pattern, RE2::Quiet) {}

  bool matches(const std::string& line) const {
    const std::string text = text_of(line);
    return RE2::PartialMatch(text, regex_) || RE2::PartialMatch(gibbous::clean(text), regex_);
  }

  std::vector<std::string> captures(const std::string& line) const {
    const int groups = regex_.NumberOfCapturingGroups();
    std::vector<re2::StringPiece> found(static_cast<std::size_t>(groups) + 1);
    const std::string text = text_of(line);
    const std::string cleaned = gibbous::clean(text);
    for (const std::string& in : {std::cref(text), std::cref(cleaned)}) {
      if (!regex_.Match(in, 0, in.size(), RE2::UNANCHORED, found.data(), groups + 1)) continue;
      std::vector<std::string> captures;
      for (std::size_t i = 1; i < found.size(); ++i) {
        captures.push_back(gibbous::to_utf8({found[i].data(), found[i].size()}));
      }
      return captures;
    }
    return {};
  }

  // Offsets of matching whole lines, and of a matching partial last line.
  std::vector<Offset> hits(const std::string& text, bool partial) const {
    std::vector<Offset> found;
    std::size_t begin = 0;
    for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
      if (matches(text.substr(begin, end - begin))) found.push_back(begin);
    }
    if (partial && begin < text.size() && matches(text.substr(begin))) found.push_back(begin);
    return found;
  }

 private:
  static std::string text_of(std::string line) {
    if (line.size() > kMaxMatchedLineBytes) line.resize(kMaxMatchedLineBytes);
    if (!line.empty() && line.back() == '\r') line.pop_back();
    return line;
  }

  RE2 regex_;
};

using Random = std::mt19937;

std::size_t below(Random& random, std::size_t limit) {
  return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
}

const std::string& pick(Random& random, const std::vector<std::string>& from) {
  return from[below(random, from.size())];
}

std::string random_text(Random& random, std::size_t max_parts) {
  static const std::vector<std::string> kParts = {
      "a",        "b",    "ab",       "abc",      "Ready",        "ready on port 3000",
      "error: x", " ",    "\t",       "\n",       "\n",           "\n",
      "\n\n",     "\r\n", "\r",       "\x1b[32m", "\x1b[0m",      "\x1b]0;title\x07",
      "\b",       "\xff", "\xc3\xa9", "\xc3",     "\xe2\x9c\x93", std::string("\0", 1),
      "10%",      "100%", "-",        "_",        "x.y",          "\x7f"};
  std::string text;
  for (std::size_t parts = below(random, max_parts); parts > 0; --parts)
    text += pick(random, kParts);
  return text;
}

std::string random_pattern(Random& random) {
  static const std::vector<std::string> kAtoms = {"a",         "b",
                                                  "c",         "ab",
                                                  "Ready",     "port (\\d+)",
                                                  "error",     ".",
                                                  "\\s",       "\\S",
                                                  "\\w",       "\\W",
                                                  "\\d",       "\\D",
                                                  "[^a]",      "[^a-z]",
                                                  "[a\\n]",    "\\n",
                                                  "\\r",       "\\b",
                                                  "\\B",       "^",
                                                  "$",         "\\A",
                                                  "\\z",       "(?i)A",
                                                  "(?s).",     "(?s:.)",
                                                  "(?m)^",     "(?m:$)",
                                                  "(?-m:^)",   "\\x1b",
                                                  "\xc3\xa9",  "[\xc3\xa9-\xc3\xb0]",
                                                  "\\pL",      "\\PL",
                                                  "\\C",       "(?:a|b)",
                                                  "(a|^)",     "(b|$)",
                                                  "\\Qa.b\\E", "%",
                                                  "\\x0a",     "[[:^alpha:]]"};
  static const std::vector<std::string> kRepeats = {"", "", "", "", "*", "+", "?", "{2}", "*?"};
  std::string pattern;
  for (std::size_t atoms = 1 + below(random, 4); atoms > 0; --atoms) {
    const std::string& atom = pick(random, kAtoms);
    const std::string& repeat = pick(random, kRepeats);
    pattern += repeat.empty() ? atom : "(?:" + atom + ")" + repeat;
    if (below(random, 8) == 0 && atoms > 1) pattern += "|";
  }
  return pattern;
}

}  // namespace

TEST_CASE("the scanner finds exactly the lines and groups that RE2 finds line by line") {
  Random random(20240817);
  constexpr int kRounds = 1500;
  for (int round = 0; round < kRounds; ++round) {
    // Few bytes per read are judged line by line, many in blocks.
    const bool much = round % 2 == 0;
    const std::string pattern = random_pattern(random);
    const std::string text = random_text(random, much ? 1500 : 40);
    auto compiled = LinePattern::compile(pattern);
    REQUIRE(compiled);
    const Reference reference(pattern);
    CAPTURE(round, pattern, text);

    Stream stream;
    LineScanner scan(compiled.value(), 0);
    std::vector<Offset> found;
    const auto note = [&](const LineScanner::Hit& hit) {
      found.push_back(hit.from);
      const std::size_t end = std::min(text.find('\n', hit.from), text.size());
      CHECK(hit.match.captures == reference.captures(text.substr(hit.from, end - hit.from)));
    };
    for (std::size_t at = 0; at < text.size();) {  // as reads would cut it
      const std::size_t size = std::min(text.size() - at, 1 + below(random, much ? 4000 : 30));
      stream.append(text.substr(at, size));
      at += size;
      while (auto hit = scan.next(stream)) note(*hit);
    }
    while (auto hit = scan.next_partial(stream)) note(*hit);
    REQUIRE(found == reference.hits(text, true));
  }
}

TEST_CASE("the newest match is the last one that the scanner finds") {
  Random random(20261129);
  constexpr int kRounds = 500;
  for (int round = 0; round < kRounds; ++round) {
    const std::string pattern = random_pattern(random);
    const std::string text = random_text(random, round % 2 == 0 ? 1500 : 40);
    const Offset since = below(random, text.size() + 1);
    auto compiled = LinePattern::compile(pattern);
    REQUIRE(compiled);
    CAPTURE(round, pattern, text, since);
    // Small rings lose bytes between the first ones and the newest.
    Stream stream(round % 3 == 0 ? std::size_t{1} << 10 : gibbous::kDefaultRingBytes,
                  round % 3 == 0 ? 256 : gibbous::kDefaultHeadBytes);
    stream.append(text);
    LineScanner scan(compiled.value(), since);
    std::optional<LineScanner::Hit> last;
    while (auto hit = scan.next(stream)) last = std::move(hit);
    const auto newest = gibbous::newest_match(compiled.value(), stream, since);
    REQUIRE(newest.has_value() == last.has_value());
    if (!last) continue;
    CHECK(newest->from == last->from);
    CHECK(newest->cursor == last->cursor);
    CHECK(newest->match.line == last->match.line);
    CHECK(newest->match.captures == last->match.captures);
  }
}

TEST_CASE("the scanner agrees with line by line RE2 on logs of realistic size") {
  Random random(7);
  std::string text;
  constexpr int kLines = 20'000;
  constexpr std::size_t kRareLine = 500;
  for (int line = 0; line < kLines; ++line) {
    text += "2026-01-02 10:00:00 INFO module " + std::to_string(line) + " did its work";
    if (below(random, kRareLine) == 0) text += " \x1b[31merror\x1b[0m: caf\xc3\xa9 \xff not found";
    if (below(random, 3) == 0) text += "\r";
    text += "\n";
  }
  for (const std::string pattern :
       {"error", "error: caf", "^2026.*work$", "not found$", "module 1999\\d", "nothing like it",
        "caf\xc3\xa9 \xef\xbf\xbd not", "^$", "\x1b\\[31m"}) {
    CAPTURE(pattern);
    Stream stream(std::size_t{4} << 20);
    LineScanner scan = scanner(pattern);
    std::vector<Offset> found;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t size = std::min(text.size() - at, 1 + below(random, 200'000));
      stream.append(text.substr(at, size));
      at += size;
      for (const Offset hit : all_hits(scan, stream)) found.push_back(hit);
    }
    CHECK(found == Reference(pattern).hits(text, false));
  }
}

TEST_CASE("a line is matched as a person sees it when its raw bytes do not match") {
  CHECK(hit_lines("^Ready$", "\x1b[32mReady\x1b[0m\n") == std::vector<std::string>{"Ready"});
  CHECK(hit_lines("^done", "10%\r50%\rdone\n") == std::vector<std::string>{"done"});
  CHECK(hit_lines("a.b",
                  "a\xff"
                  "b\n") == std::vector<std::string>{"a\xef\xbf\xbd"
                                                     "b"});
  // A pattern may also match the raw bytes.
  CHECK(hit_lines("\x1b\\[32m", "\x1b[32mReady\x1b[0m\n") == std::vector<std::string>{"Ready"});
}

TEST_CASE("carriage returns before line feeds are not part of a line") {
  CHECK(hit_lines("Ready$", "Ready\r\nnot Ready yet\r\n") == std::vector<std::string>{"Ready"});
  CHECK(hit_lines("^$", "a\r\n\r\nb\r\n").size() == 1);
}

TEST_CASE("NUL and other binary bytes do not disturb the lines around them") {
  const std::string text("\0\x01\xfe\xff\nReady\n\0Ready\n", 18);
  CHECK(hit_lines("Ready", text).size() == 2);
  CHECK(hit_lines("^Ready", text).size() == 2);  // the second when it is cleaned
}

TEST_CASE("captures and offsets belong to the line") {
  Stream stream;
  stream.append("first\nlistening on 127.0.0.1:3000 (pid 17)\nlast\n");
  LineScanner scan = scanner("listening on ([\\d.]+):(\\d+)( fast)?");
  const auto hit = scan.next(stream);
  REQUIRE(hit);
  CHECK(hit->match.line == "listening on 127.0.0.1:3000 (pid 17)");
  CHECK(hit->match.captures == std::vector<std::string>{"127.0.0.1", "3000", ""});
  CHECK(hit->from == 6);
  CHECK(hit->cursor == 6 + 37);
  CHECK_FALSE(scan.next(stream));
}

TEST_CASE("a partial last line is reported once, even if it is completed later") {
  Stream stream;
  LineScanner scan = scanner("Ready>");
  stream.append("hello\nReady> ");
  CHECK_FALSE(scan.next(stream));
  REQUIRE(scan.has_partial(stream));
  const auto hit = scan.next_partial(stream);
  REQUIRE(hit);
  CHECK(hit->match.line == "Ready> ");
  CHECK(hit->cursor == stream.end());
  CHECK_FALSE(scan.has_partial(stream));
  stream.append("quit\nReady> again\n");
  const auto next = scan.next(stream);
  REQUIRE(next);
  CHECK(next->match.line == "Ready> again");
  CHECK_FALSE(scan.next(stream));
}

TEST_CASE("a partial line that does not match is examined again when it grows") {
  Stream stream;
  LineScanner scan = scanner("Ready");
  stream.append("Rea");
  CHECK_FALSE(scan.next(stream));
  CHECK_FALSE(scan.next_partial(stream));
  CHECK_FALSE(scan.has_partial(stream));  // until there is more of it
  stream.append("d");
  CHECK(scan.has_partial(stream));
  CHECK_FALSE(scan.next_partial(stream));
  stream.append("y\n");
  CHECK(scan.next(stream));
}

TEST_CASE("a match is found however the line is cut into reads") {
  const std::string text = "noise\nlistening on port 3000\nnoise\n";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    CAPTURE(cut);
    Stream stream;
    LineScanner scan = scanner("port (\\d+)$");
    stream.append(text.substr(0, cut));
    auto hit = scan.next(stream);
    stream.append(text.substr(cut));
    if (!hit) hit = scan.next(stream);
    REQUIRE(hit);
    CHECK(hit->match.captures == std::vector<std::string>{"3000"});
    CHECK_FALSE(scan.next(stream));
  }
}

TEST_CASE("only the beginning of a very long line is matched, and the next line is found") {
  for (const std::size_t extra : {std::size_t{0}, std::size_t{1}, 3 * kMaxMatchedLineBytes}) {
    CAPTURE(extra);
    const std::string long_line =
        "early" + std::string(kMaxMatchedLineBytes - 5 + extra, 'x') + "late";
    const std::string text = "first\n" + long_line + "\nearly late\n";
    for (const std::size_t step : {std::size_t{1000}, std::size_t{70'000}, text.size()}) {
      CAPTURE(step);
      std::vector<Offset> early;
      std::vector<Offset> late;
      Stream stream;
      LineScanner early_scan = scanner("early");
      LineScanner late_scan = scanner("late$");
      for (std::size_t at = 0; at < text.size(); at += step) {
        stream.append(text.substr(at, step));
        for (const Offset hit : all_hits(early_scan, stream)) early.push_back(hit);
        for (const Offset hit : all_hits(late_scan, stream)) late.push_back(hit);
      }
      CHECK(early == Reference("early").hits(text, false));
      CHECK(late == Reference("late$").hits(text, false));
      CHECK(early.size() == 2);
      CHECK(late.size() == 1);
    }
  }
}

TEST_CASE("earlier output counts from `since` on, even in the middle of a line") {
  Stream stream;
  stream.append("Ready one\nReady two\n");
  LineScanner from_two = scanner("Ready", 10);
  CHECK(all_hits(from_two, stream) == std::vector<Offset>{10});
  LineScanner middle = scanner("^dy", 3);
  CHECK(all_hits(middle, stream) == std::vector<Offset>{3});
  LineScanner later = scanner("Ready", 30);  // not written yet
  CHECK_FALSE(later.next(stream));
  stream.append("Ready 3\nReady four\n");  // ends at 39
  CHECK(all_hits(later, stream) == std::vector<Offset>{});
  stream.append("Ready five\n");
  CHECK(all_hits(later, stream) == std::vector<Offset>{39});
}

TEST_CASE("lines across the head and the ring's seam are whole, and lost bytes are counted") {
  constexpr std::size_t kRing = 4096;
  constexpr std::size_t kHead = 1000;
  Random random(3);
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    Stream stream(kRing, kHead);
    LineScanner often = scanner("needle");
    std::string text;
    std::vector<Offset> found;
    while (text.size() < 5 * kRing) {  // never more at once than is kept: nothing is lost
      std::string chunk;
      for (std::size_t lines = 1 + below(random, 9); lines > 0; --lines) {
        chunk += std::string(below(random, 90), 'h') + (below(random, 7) == 0 ? "needle" : "hay");
        if (below(random, 4) != 0) chunk += "\n";
      }
      stream.append(chunk);
      text += chunk;
      for (const Offset hit : all_hits(often, stream)) found.push_back(hit);
    }
    CHECK(found == Reference("needle").hits(text, false));
    CHECK(often.lost() == 0);

    // A late scanner sees the head and the ring, and reports how much is missing between them.
    LineScanner late = scanner("needle");
    for (const Offset hit : all_hits(late, stream)) {
      CHECK((hit < kHead || hit >= stream.begin()));
    }
    CHECK(late.lost() == stream.begin() - stream.head_end());
  }
}

TEST_CASE("an invalid pattern is the caller's error, with its place") {
  const auto unclosed = LinePattern::compile("port [0-9");
  REQUIRE_FALSE(unclosed);
  CHECK(unclosed.status().code() == "invalid_arguments");
  CHECK(unclosed.status().message() == "missing ]: [0-9 (at byte 6 of \"port [0-9\")");
  CHECK_FALSE(LinePattern::compile(""));
  CHECK_FALSE(LinePattern::compile("(?=lookahead)"));
  CHECK_FALSE(LinePattern::compile("((((a{1000}){1000}){1000}))"));
  CHECK_FALSE(LinePattern::compile(std::string(gibbous::kMaxPatternBytes + 1, 'a')));
  CHECK_FALSE(LinePattern::compile("\xff"));
}
