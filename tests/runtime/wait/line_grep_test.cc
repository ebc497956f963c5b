#include "runtime/wait/line_grep.h"

#include <random>
#include <string>
#include <vector>

#include "tests/support/catch.h"

namespace gibbous {
namespace {

constexpr std::size_t kMuch = 1'000'000;

std::shared_ptr<LinePattern> pattern(const std::string& text) {
  auto compiled = LinePattern::compile(text);
  REQUIRE(compiled);
  return *compiled;
}

LineGrep found(const std::string& regex, std::size_t context, const std::string& bytes,
               std::size_t max_bytes = kMuch) {
  LineGrep grep(pattern(regex), context, max_bytes);
  grep.add(bytes);
  grep.finish();
  return grep;
}

TEST_CASE("matching lines come with their numbers, even a last one without its end") {
  const LineGrep grep = found("o", 0, "one\ntwo\nthree\nfour");
  CHECK(grep.text() == "1:one\n2:two\n4:four\n");
  CHECK(grep.matches() == 3);
  CHECK(grep.shown() == 3);
  CHECK(grep.lines() == 4);
}

TEST_CASE("context is printed as grep -n -C prints it") {
  const LineGrep grep = found("X", 1, "a\nX\nb\nc\nd\nX\nX\ne\nf\n");
  CHECK(grep.text() == "1-a\n2:X\n3-b\n--\n5-d\n6:X\n7:X\n8-e\n");
}

TEST_CASE("all matches are counted, and the first are shown as far as they fit") {
  std::string bytes;
  for (int i = 0; i < 100; ++i) bytes += "match\n";
  const LineGrep grep = found("match", 0, bytes, 50);
  CHECK(grep.matches() == 100);
  CHECK(grep.shown() == 6);
  CHECK(grep.text().size() <= 50);
}

TEST_CASE("lines are shown as a person sees them, and long ones are cut") {
  CHECK(found("^red$", 0, "\x1b[31mred\x1b[0m\r\n").text() == "1:red\n");
  const std::string line(100'000, 'x');
  CHECK(found("^x", 0, line).text().size() < 600);
}

TEST_CASE("a long line is shown around its match") {
  for (const char* before : {"", "\x1b[31m"}) {
    const std::string line = before + std::string(4000, 'a') + "NEEDLE" + std::string(4000, 'b');
    const std::string text = found("N[E]+DLE", 0, "one\n" + line + "\n").text();
    CHECK(text.starts_with("2:aaa"));
    CHECK(text.find("aNEEDLEb") != std::string::npos);
    CHECK(text.size() < 520);
  }
}

TEST_CASE("lines whose end is not searched are counted, and so are the bytes") {
  const std::string longest(kMaxMatchedLineBytes, 'x');
  const std::string bytes = longest + "\n" + longest + "X\nshort\n" + longest + "X";
  for (const std::size_t piece : {bytes.size(), std::size_t{1000}}) {
    LineGrep grep(pattern("X"), 0, kMuch);
    for (std::size_t at = 0; at < bytes.size(); at += piece) grep.add(bytes.substr(at, piece));
    grep.finish();
    CHECK(grep.matches() == 0);
    CHECK(grep.long_lines() == 2);
    CHECK(grep.bytes() == bytes.size());
  }
}

TEST_CASE("a gap ends a line, and the line numbers continue after it") {
  LineGrep grep(pattern("t"), 1, kMuch);
  grep.add("one\ntw");
  grep.skip_to(99);
  grep.add("last\nend\n");
  grep.finish();
  CHECK(grep.text() == "1-one\n2:tw\n--\n100:last\n101-end\n");
}

TEST_CASE("the cuts between the bytes make no difference") {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::string bytes;
    const std::size_t length = random() % 300;
    for (std::size_t i = 0; i < length; ++i) bytes += "ab\n\r\n\x1b[m"[random() % 8];
    const std::size_t context = random() % 3;
    const LineGrep whole = found("ab|^$", context, bytes);
    LineGrep pieces(pattern("ab|^$"), context, kMuch);
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t step = 1 + random() % 5;
      pieces.add(std::string_view(bytes).substr(at, step));
      at += step;
    }
    pieces.finish();
    INFO(bytes);
    CHECK(pieces.text() == whole.text());
    CHECK(pieces.matches() == whole.matches());
    CHECK(pieces.lines() == whole.lines());
  }
}

}  // namespace
}  // namespace gibbous
