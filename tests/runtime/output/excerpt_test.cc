// excerpt(): what it shows of an output that does not fit, and what it says about the rest.
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "runtime/output/excerpt.h"
#include "runtime/output/text.h"
#include "tests/support/catch.h"

using gibbous::Excerpt;
using gibbous::excerpt;
using gibbous::ExcerptOptions;
using gibbous::Gap;
using gibbous::kBytesPerToken;
using gibbous::Stream;

namespace {

Stream stream_of(const std::string& bytes) {
  Stream stream;
  stream.append(bytes);
  stream.set_ended();
  return stream;
}

Excerpt excerpt_of(const std::string& bytes, std::size_t budget_tokens) {
  return excerpt(stream_of(bytes), {.budget_tokens = budget_tokens});
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Lines like those of a build, none of which looks like an error, all different.
std::string build_log(int first, int last) {
  std::string log;
  for (int i = first; i < last; ++i) {
    log +=
        "[" + std::to_string(i) + "/9000] Building CXX object module_" + std::to_string(i) + ".o\n";
  }
  return log;
}

constexpr std::size_t kPlenty = 100000;

}  // namespace

TEST_CASE("an output within the budget is shown whole") {
  const Excerpt result = excerpt_of("one\ntwo\nthree", kPlenty);
  CHECK(result.text == "one\ntwo\nthree");
  CHECK(result.complete);
  CHECK(result.cut.empty());
}

TEST_CASE("an empty output has an empty excerpt, which is complete") {
  const Excerpt result = excerpt_of("", kPlenty);
  CHECK(result.text.empty());
  CHECK(result.complete);
}

TEST_CASE("an excerpt shows text as a person would see it") {
  const Excerpt result = excerpt_of("\x1b[31mred\x1b[0m\r\n10%\r20%\r30%\n\xFF\n", kPlenty);
  CHECK(result.text == "red\n30%\n\xEF\xBF\xBD\n");
  CHECK(result.complete);
}

TEST_CASE("repeated lines are folded") {
  std::string log = "before\n";
  for (int i = 0; i < 313; ++i) log += "waiting for the server\n";
  const Excerpt result = excerpt_of(log + "after\n", kPlenty);
  CHECK(result.text == "before\nwaiting for the server\n… last line repeated 312 times\nafter\n");
  CHECK(result.complete);
  SECTION("but not where the note would be longer") {
    CHECK(excerpt_of("a\n\n\n\nb\nok\nok\n", kPlenty).text == "a\n\n\n\nb\nok\nok\n");
  }
}

TEST_CASE("head and tail are shown with an exact note of the omitted part") {
  const std::string log = build_log(1, 9001);
  const Excerpt result = excerpt_of(log, 500);
  CHECK(result.text.size() <= 500 * kBytesPerToken);
  CHECK_FALSE(result.complete);
  CHECK(has(result.text, "[1/9000]"));
  CHECK(has(result.text, "[9000/9000]"));
  REQUIRE(result.cut.size() == 1);
  const Gap cut = result.cut[0];
  const std::size_t note = result.text.find("[… ");
  REQUIRE(note != std::string::npos);
  // The text before the note, the range in the note and the text after it are the whole.
  const std::size_t after = result.text.find('\n', note) + 1;
  CHECK(result.text.substr(0, note) == log.substr(0, cut.from));
  CHECK(result.text.substr(after) == log.substr(cut.to));
  CHECK(has(result.text, "(offsets " + std::to_string(cut.from) + "–" + std::to_string(cut.to) +
                             ") left out; read from offset " + std::to_string(cut.from) + " …]"));
  SECTION("and most of the budget is used") {
    CHECK(result.text.size() > 450 * kBytesPerToken);
  }
}

TEST_CASE("errors in the middle are shown with the lines around them") {
  const std::string log = build_log(1, 4000) +
                          "in file included from a.h\nmain.cc:3: error: it broke\n   3 | int x\n" +
                          build_log(4000, 8000);
  const Excerpt result = excerpt_of(log, 500);
  CHECK(has(result.text, "in file included from a.h\nmain.cc:3: error: it broke\n   3 | int x\n"));
  CHECK(has(result.text, "[3999/9000]"));
  CHECK(has(result.text, "[4000/9000]"));
  CHECK(result.cut.size() == 2);
}

TEST_CASE("the first and the last error are shown when not all are") {
  std::string log;
  for (int i = 0; i < 2000; ++i) {
    log += build_log(i * 4, i * 4 + 4) + "x.cc:" + std::to_string(i) + ": error: number " +
           std::to_string(i) + "\n";
  }
  const Excerpt result = excerpt_of(log + build_log(0, 100), 400);
  CHECK(has(result.text, "error: number 0\n"));
  CHECK(has(result.text, "error: number 1999\n"));
  CHECK_FALSE(has(result.text, "error: number 1000\n"));
}

TEST_CASE("every error line appears when all of them fit") {
  std::mt19937 random(4);
  constexpr int kCases = 40;
  constexpr std::size_t kBudget = 2000;
  for (int i = 0; i < kCases; ++i) {
    std::string log;
    std::vector<std::string> errors;
    // A line and a note each, within the budget that the two ends leave.
    const auto count = 1 + random() % 25;
    for (unsigned k = 0; k < count; ++k) {
      log += build_log(0, static_cast<int>(random() % 300));
      errors.push_back("error: number " + std::to_string(k) + " of this output\n");
      log += errors.back();
    }
    log += build_log(0, 300);
    const Excerpt result = excerpt_of(log, kBudget);
    INFO("case " << i);
    REQUIRE(result.text.size() <= kBudget * kBytesPerToken);
    for (const std::string& error : errors) REQUIRE(has(result.text, error));
  }
}

TEST_CASE("bytes that are no longer kept are named") {
  Stream stream(4096, 256);
  const std::string log = build_log(1, 1000);
  stream.append(log);
  SECTION("alone, when everything kept fits") {
    const Excerpt result = excerpt(stream, {.budget_tokens = kPlenty});
    CHECK_FALSE(result.complete);
    REQUIRE(result.cut.size() == 1);
    CHECK(result.cut[0].from == 256);
    CHECK(result.cut[0].to == log.size() - 4096);
    CHECK(has(result.text,
              "(offsets 256–" + std::to_string(log.size() - 4096) + ") no longer kept …]\n"));
  }
  SECTION("among what is left out, when not") {
    const Excerpt result = excerpt(stream, {.budget_tokens = 300});
    CHECK(result.text.size() <= 300 * kBytesPerToken);
    CHECK(has(result.text, "no longer kept"));
    CHECK(has(result.text, "[1/9000]"));
    CHECK(has(result.text, "[999/9000]"));
  }
}

TEST_CASE("a long line is shortened, with a note of the omitted part") {
  const std::string log = "short\n" + std::string(100000, 'x') + "\nshort too\n";
  const Excerpt result = excerpt_of(log, kPlenty);
  const std::string end(1000, 'x');
  CHECK(has(result.text, end + " [… 98,000 bytes of this line (offsets 1006–99006) …] " + end +
                             "\nshort too\n"));
  REQUIRE(result.cut.size() == 1);
  CHECK(result.cut[0].from == 1006);
  CHECK(result.cut[0].to == 99006);
  CHECK_FALSE(result.complete);
  SECTION("around its error") {
    const std::string line = std::string(4000, 'a') + " error: boom " + std::string(50000, 'b');
    for (const std::string& raw : {line, "\x1b[31m" + line + "\x1b[0m"}) {
      const Excerpt cut = excerpt_of("short\n" + raw + "\nshort too\n", kPlenty);
      CHECK(has(cut.text, "a error: boom b"));
      CHECK(cut.text.size() < 2300);
      CHECK(cut.cut.size() == (raw == line ? 2 : 1));
    }
  }
  SECTION("at a whole character") {
    std::string euros;
    for (int i = 0; i < 1000; ++i) euros += "\xE2\x82\xAC";
    CHECK(gibbous::is_utf8(excerpt_of(euros, kPlenty).text));
  }
}

TEST_CASE("a small budget is kept, and the last line comes first") {
  const std::string log =
      build_log(1, 500) + "error: in the middle\n" + build_log(500, 900) + "exit 2\n";
  for (std::size_t tokens = 0; tokens < 120; ++tokens) {
    const Excerpt result = excerpt_of(log, tokens);
    INFO(tokens << " tokens: " << result.text);
    CHECK(result.text.size() <= tokens * kBytesPerToken);
    CHECK_FALSE(result.complete);
    if (tokens >= 6) CHECK(has(result.text, "exit 2"));
    if (tokens >= 20) CHECK(has(result.text, "[… "));
    if (tokens >= 20) CHECK(has(result.text, "error: in the"));
  }
}

TEST_CASE("an output with a single long line shows its beginning within any budget") {
  const std::string line(50000, 'y');
  for (std::size_t tokens = 1; tokens < 200; ++tokens) {
    const Excerpt result = excerpt_of(line, tokens);
    CHECK(result.text.size() <= tokens * kBytesPerToken);
    CHECK(has(result.text, "y"));
  }
}

TEST_CASE("an incomplete character is left out until its rest comes") {
  Stream stream;
  stream.append("text \xE2\x82");
  CHECK(excerpt(stream, {}).text == "text ");
  stream.append("\xAC");
  CHECK(excerpt(stream, {}).text == "text \xE2\x82\xAC");
}

TEST_CASE("a gap that cuts a character removes only that character") {
  std::string euros;
  for (int i = 0; i < 1000; ++i) euros += "\xE2\x82\xAC";
  Stream stream(100, 100);
  stream.append(euros);
  const Excerpt result = excerpt(stream, {.budget_tokens = kPlenty});
  CHECK_FALSE(has(result.text, "\xEF\xBF\xBD"));
  REQUIRE(result.cut.size() == 1);
  CHECK(result.cut[0].from == 99);
  CHECK(result.cut[0].to == 2901);
}
