// Properties of text views and excerpts for any bytes, over random input; the fuzzer
// (tests/fuzz/text_fuzz.cc) uses the same checks. Also compares clean() with a simple, slow model
// of a terminal's line.
#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/text_properties.h"

using gibbous::clean;

namespace {

using Random = std::mt19937;

// Meaningful pieces among random bytes.
std::string random_output(Random& random, std::size_t size) {
  static constexpr std::string_view kPieces[] = {"\x1b",
                                                 "\x1b[",
                                                 "\x1b[31m",
                                                 "\x1b[0m",
                                                 "\x1b[K",
                                                 "\x1b[2K",
                                                 "\x1b[1G",
                                                 "\x1b]0;title\x07",
                                                 "\x1b]8;;x",
                                                 "\x1b\\",
                                                 "\x1bP1$r",
                                                 "\x1b_",
                                                 "\x1b(B",
                                                 "\x1b"
                                                 "7",
                                                 "\xC2\x9B"
                                                 "1m",
                                                 "\xC2\x9C",
                                                 "\xC2\x90",
                                                 "\r",
                                                 "\r\n",
                                                 "\n",
                                                 "\b",
                                                 "\t",
                                                 "\x07",
                                                 "\x7f",
                                                 "\xE2\x82\xAC",
                                                 "\xE2\x82",
                                                 "\xF0\x9F\x8C\x99",
                                                 "\xC0\xAF",
                                                 "\xED\xA0\x80",
                                                 "\xF4\x90",
                                                 "error: it broke\n",
                                                 "0 errors\n",
                                                 "10%",
                                                 "the same line\n",
                                                 "word "};
  std::string output;
  while (output.size() < size) {
    if (random() % 4 == 0) {
      output += static_cast<char>(random());
    } else {
      const std::string_view piece = kPieces[random() % std::size(kPieces)];
      for (auto times = random() % 30 == 0 ? random() % 100 : 1; times > 0; --times)
        output += piece;
    }
  }
  return output;
}

// One line of a terminal: a row of cells, empty ones where it was erased, and a cursor. Backspace
// erases at the end of the line, as clean() does.
class Row {
 public:
  void put(std::string_view cell) {
    cells_.resize(std::max(cells_.size(), cursor_ + 1));
    cells_[cursor_++] = cell;
  }
  void back() {
    if (cursor_ == 0) return;
    while (cells_.size() > cursor_ && cells_.back().empty()) cells_.pop_back();
    --cursor_;
    if (cursor_ + 1 == cells_.size()) cells_.pop_back();
  }
  void first_column() { cursor_ = 0; }
  void erase_to_end() { cells_.resize(cursor_); }
  void erase_to_start() {
    for (std::size_t i = 0; i < cursor_; ++i) cells_[i].clear();
  }
  std::string text() const {
    std::string text;
    for (const std::string& cell : cells_) text += cell.empty() ? " " : cell;
    return text;
  }

 private:
  std::vector<std::string> cells_;
  std::size_t cursor_ = 0;
};

std::string without_trailing_blanks(const std::string& text) {
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

}  // namespace

TEST_CASE("clean text is valid, free of controls and bounded for any output") {
  Random random(1);
  constexpr int kCases = 3000;
  constexpr std::size_t kMaxSize = 600;
  for (int i = 0; i < kCases; ++i) {
    const std::string raw = random_output(random, random() % kMaxSize);
    INFO("case " << i);
    REQUIRE(gibbous::testing::clean_problem(raw) == "");
  }
}

TEST_CASE("an excerpt is within its budget and says what it left out, for any output") {
  Random random(2);
  constexpr int kCases = 1500;
  constexpr std::size_t kMaxSize = 12000;
  constexpr std::size_t kMaxTokens = 1500;
  for (int i = 0; i < kCases; ++i) {
    const std::string raw = random_output(random, random() % kMaxSize);
    const std::size_t tokens = random() % (i % 2 == 0 ? kMaxTokens : 40);
    const std::size_t ring = 1 + random() % kMaxSize;
    const std::size_t head = random() % (kMaxSize / 4);
    INFO("case " << i);
    REQUIRE(gibbous::testing::excerpt_problem(raw, tokens, ring, head, 1 + random() % 5000) == "");
  }
}

TEST_CASE("returns, backspaces and erasures give what a terminal shows") {
  Random random(3);
  constexpr int kCases = 20000;
  for (int i = 0; i < kCases; ++i) {
    Row row;
    std::string raw;
    for (auto steps = random() % 20; steps > 0; --steps) {
      switch (random() % 10) {
        case 0:
          raw += '\r';
          row.first_column();
          break;
        case 1:
          raw += '\b';
          row.back();
          break;
        case 2:
          raw += "\x1b[K";
          row.erase_to_end();
          break;
        case 3:
          raw += "\x1b[2K";
          row.erase_to_start();
          row.erase_to_end();
          break;
        case 4:
          raw += "\x1b[1K";
          row.erase_to_start();
          break;
        case 5:
          raw += "\x1b[G";
          row.first_column();
          break;
        case 6:
          raw += "\xE2\x82\xAC";
          row.put("\xE2\x82\xAC");
          break;
        default: {
          const char letter = static_cast<char>('a' + random() % 26);
          raw += letter;
          row.put({&letter, 1});
        }
      }
    }
    INFO("case " << i << ": " << Catch::StringMaker<std::string>::convert(raw));
    REQUIRE(without_trailing_blanks(clean(raw)) == without_trailing_blanks(row.text()));
  }
}

TEST_CASE("cleaning takes linear time for any output") {
  // Each of these would take minutes if anything in it were quadratic.
  constexpr std::size_t kSize = 2 << 20;
  static constexpr std::string_view kPieces[] = {
      "\r",      "x\r",      "\b",        "x\b",         "\x1b",     "\x1b]",     "\x1b]\n",
      "\x1bP",   "\x1bP\n",  "\xC2\x90",  "\xC2\x90\n",  "\xC2\x9D", "\x1b[",     "\x1b[1;",
      "\x1b[2K", "x\x1b[2K", "\x1b[1K\r", "xx\r\x1b[1K", "\xE2\x82", "\x1b_ \x1b"};
  for (const std::string_view piece : kPieces) {
    // After a long line, which returns would move again and again.
    std::string raw(kSize / 2, 'x');
    while (raw.size() < kSize) raw += piece;
    REQUIRE(clean(raw).size() <= 3 * raw.size());
  }
}
