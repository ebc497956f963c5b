// Text views: invalid UTF-8, escape sequences, returns and backspaces.
#include <string>
#include <string_view>

#include "runtime/output/text.h"
#include "tests/support/catch.h"

using gibbous::clean;
using gibbous::incomplete_escape_tail;
using gibbous::incomplete_utf8_tail;
using gibbous::is_utf8;
using gibbous::to_utf8;
using namespace std::string_literals;

namespace {

const std::string kBad = "\xEF\xBF\xBD";

}  // namespace

TEST_CASE("valid UTF-8 stays unchanged") {
  const std::string text = "plain, \xC3\xA9, \xE2\x82\xAC, \xF0\x9F\x8C\x99\n";
  CHECK(is_utf8(text));
  CHECK(to_utf8(text) == text);
  CHECK(clean(text) == text);
}

TEST_CASE("each maximal ill-formed part becomes one U+FFFD") {
  // The example of Unicode, chapter 3, table 3-11, and others from its neighbourhood.
  CHECK(to_utf8("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41") == kBad + kBad + kBad + kBad + "A");
  CHECK(to_utf8("\xC0\xAF\xE0\x80\xBF") == kBad + kBad + kBad + kBad + kBad);
  CHECK(to_utf8("\xED\xA0\x80") == kBad + kBad + kBad);
  CHECK(to_utf8("\xF4\x90\x80\x80") == kBad + kBad + kBad + kBad);
  CHECK(to_utf8("a\xF0\x9F\x8C") == "a" + kBad);
  CHECK(to_utf8("\xFF\xFE") == kBad + kBad);
  CHECK_FALSE(is_utf8("\xC3"));
}

TEST_CASE("a truncated sequence differs from an invalid one") {
  CHECK(incomplete_utf8_tail("abc") == 0);
  CHECK(incomplete_utf8_tail("") == 0);
  CHECK(incomplete_utf8_tail("a\xC3") == 1);
  CHECK(incomplete_utf8_tail("a\xE2\x82") == 2);
  CHECK(incomplete_utf8_tail("a\xF0\x9F\x8C") == 3);
  CHECK(incomplete_utf8_tail("a\xF0\x9F\x8C\x99") == 0);
  CHECK(incomplete_utf8_tail("a\xE0\x80") == 0);
  CHECK(incomplete_utf8_tail("\x80\x80") == 0);
  CHECK(incomplete_utf8_tail("\xFF") == 0);
}

TEST_CASE("escape sequences are invisible") {
  CHECK(clean("\x1b[1;31mred\x1b[0m") == "red");
  CHECK(clean("\x1b[38:2::255:0:0mred\x1b[m") == "red");
  CHECK(clean("\x1b]0;a title\x07text") == "text");
  CHECK(clean("\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\") == "link");
  CHECK(clean("\x1bP1$r0m\x1b\\text") == "text");
  CHECK(clean("\x1b_Gf=100;AAAA\x1b\\text") == "text");
  CHECK(clean("\x1b^private\x1b\\\x1bXstart\x1b\\text") == "text");
  CHECK(clean("\x1b(B\x1b)0text\x1b"
              "7\x1b=\x1b#8") == "text");
  CHECK(clean("\x1b[?25l\x1b[2J\x1b[Htext\x1b[?25h") == "text");
}

TEST_CASE("C1 controls are sequences as UTF-8 characters and invalid as bytes") {
  CHECK(clean("\xC2\x9B"
              "31mred\xC2\x9Bm") == "red");
  CHECK(clean("\xC2\x9D"
              "0;title\xC2\x9Ctext") == "text");
  CHECK(clean("\xC2\x85") == "");
  CHECK(clean("\x9B"
              "31m") == kBad + "31m");
  // 0x9B as a part of a character is a part of that character.
  CHECK(clean("\xE2\x9B\xBD") == "\xE2\x9B\xBD");
}

TEST_CASE("a sequence without an end swallows no text beyond its bounds") {
  CHECK(clean("text\x1b") == "text");
  CHECK(clean("text\x1b[31") == "text");
  CHECK(clean("\x1b]0;a title without end\nnext line") == "\nnext line");
  CHECK(clean("\x1bPno end\nnext line") == "\nnext line");
  CHECK(clean("\x1b[12\x1b[31mtext") == "text");
  CHECK(clean("\x1b[12\nnext") == "\nnext");
  CHECK(clean("\x1b]0;one\x1b]0;two\x07text") == "text");
  CHECK(clean("\x1b[" + std::string(1000, '1') + "mtext").size() == 1000 - 254 + 5);
  CHECK(clean("\x1b[3\xC3\xA9") == "\xC3\xA9");
  CHECK(clean("\x1b\xC3\xA9") == "\xC3\xA9");
}

TEST_CASE("controls are dropped, tabs and newlines stay") {
  CHECK(clean("a\0b\x07"
              "c\x0E\x0F\x7F"
              "d\te\n"s) == "abcd\te\n");
}

TEST_CASE("progress that overwrites itself shows its last state") {
  CHECK(clean("10%\r20%\n") == "20%\n");
  CHECK(clean("10%\r20%\r100%\ndone\n") == "100%\ndone\n");
  CHECK(clean("10%\r20%\r") == "20%");
}

TEST_CASE("a return overwrites from the front, and leaves the rest") {
  CHECK(clean("abc\rX") == "Xbc");
  CHECK(clean("abc\rX\n") == "Xbc\n");
  CHECK(clean("\xC3\xA9t\xC3\xA9\rX") == "Xt\xC3\xA9");
  CHECK(clean("abc\r\xE2\x82\xAC\xE2\x82\xAC") ==
        "\xE2\x82\xAC\xE2\x82\xAC"
        "c");
}

TEST_CASE("erasing a line removes its text") {
  CHECK(clean("Downloading 10%\r\x1b[KDone\n") == "Done\n");
  CHECK(clean("Downloading 10%\x1b[2K\rDone\n") == "Done\n");
  CHECK(clean("Downloading 10%\x1b[2K\x1b[1GDone\n") == "Done\n");
  CHECK(clean("abcdef\rab\x1b[K\n") == "ab\n");
}

TEST_CASE("a return before a newline is a line end") {
  CHECK(clean("one\r\ntwo\r\r\nthree\r\n") == "one\ntwo\nthree\n");
  CHECK(clean("\r\n\r\n") == "\n\n");
}

TEST_CASE("backspaces erase whole characters") {
  CHECK(clean("abc\b\bX") == "aX");
  CHECK(clean("\xE2\x82\xAC\xE2\x82\xAC\bX") == "\xE2\x82\xACX");
  CHECK(clean("N\bNA\bAM\bME\bE") == "NAME");
  CHECK(clean("|\b/\b-\b\\\bdone") == "done");
  CHECK(clean("\b\bab") == "ab");
  CHECK(clean("line\n\bab") == "line\nab");
  CHECK(clean("abc\rXY\bZ") == "XZc");
}

TEST_CASE("each part of cleaning can be turned off") {
  const std::string raw = "\x1b[31mred\x1b[0m\rb\xFF\n";
  CHECK(clean(raw, {.strip_ansi = false, .resolve_returns = false, .replace_invalid = false}) ==
        raw);
  CHECK(clean(raw, {.resolve_returns = false}) == "red\rb" + kBad + "\n");
  CHECK(clean(raw, {.replace_invalid = false}) ==
        "b\xFF"
        "d\n");
  SECTION("with escape sequences kept a return replaces the line as a whole") {
    CHECK(clean("\x1b[31mred\x1b[0m\rblue", {.strip_ansi = false}) == "blue");
    CHECK(clean("\x1b[31mred\x1b[0m\r\n", {.strip_ansi = false}) == "\x1b[31mred\x1b[0m\n");
  }
}

TEST_CASE(
    "an escape sequence that is cut at the end is found, so that a caller can wait for its rest") {
  CHECK(incomplete_escape_tail("text") == 0);
  CHECK(incomplete_escape_tail("text\x1b") == 1);
  CHECK(incomplete_escape_tail("text\x1b[3") == 3);
  CHECK(incomplete_escape_tail("text\x1b[31m") == 0);
  CHECK(incomplete_escape_tail("text\x1b[31mmore") == 0);
  CHECK(incomplete_escape_tail("text\x1b]0;title") == 9);
  CHECK(incomplete_escape_tail("text\x1b]0;title\x1b") == 10);
  CHECK(incomplete_escape_tail("text\x1b]0;title\x07") == 0);
  CHECK(incomplete_escape_tail("text\x1b]0;title\nnext") == 0);
  CHECK(incomplete_escape_tail("\x1b]0;" + std::string(1000, 'x')) == 0);
  CHECK(incomplete_escape_tail("text\xC2") == 0);
}
