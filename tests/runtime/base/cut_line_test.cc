// cut_line(): what a long line still shows.
#include "runtime/base/cut_line.h"

#include <string>

#include "tests/support/catch.h"

using gibbous::cut_line;
using gibbous::LinePlace;

TEST_CASE("a line that fits is not cut") {
  CHECK(cut_line("", 10) == "");
  CHECK(cut_line("0123456789", 10, {9, 1}) == "0123456789");
}

TEST_CASE("a long line shows its beginning, and its end or what matters in it") {
  const std::string line =
      "begin" + std::string(4000, 'a') + "NEEDLE" + std::string(4000, 'b') + "end";
  const std::size_t at = line.find("NEEDLE");
  struct Row {
    LinePlace place;
    std::size_t max_bytes;
    const char* text;
  };
  const Row rows[] = {{{}, 22, "beginaaa…bbbbbend"},
                      {{0, 5}, 22, "beginaaaaaaaaaaa…"},
                      {{at, 6}, 30, "begina…aaaaaaNEEDLEbbbbbb…"},
                      {{at, 6}, 14, "be…NEEDLE…"},
                      {{line.size() - 3, 3}, 22, "begi…bbbbbbbbbend"},
                      {{line.size() + 9, 3}, 22, "beginaaa…bbbbbend"}};
  for (const Row& row : rows) {
    INFO(row.place.at << " " << row.max_bytes);
    CHECK(cut_line(line, row.max_bytes, row.place) == row.text);
    CHECK(cut_line(line, row.max_bytes, row.place).size() <= row.max_bytes);
  }
}

TEST_CASE("what matters is found in the text that was cut") {
  const std::string line = std::string(900, 'a') + "NEEDLE" + std::string(900, 'b');
  for (const std::size_t max_bytes : {20U, 50U, 500U, 1'000U, 3'000U}) {
    std::size_t at = 0;
    const std::string text = cut_line(line, max_bytes, {900, 6}, &at);
    CHECK(text.substr(at, 6) == "NEEDLE");
  }
}

TEST_CASE("no character is split") {
  std::string line;
  for (int i = 0; i < 300; ++i) line += "€";
  for (std::size_t max_bytes = 6; max_bytes < 200; ++max_bytes) {
    for (const std::size_t at : {std::size_t{0}, std::size_t{300}, line.size() - 3}) {
      const std::string text = cut_line(line, max_bytes, {at, 3});
      CHECK(text.size() <= max_bytes);
      CHECK(text.size() % 3 == 0);
    }
  }
}
