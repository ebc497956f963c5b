// What a terminal shows for bytes, its answers, and what keys send in its modes.
#include "runtime/terminal/screen.h"

#include <random>

#include "runtime/output/text.h"
#include "tests/support/catch.h"

namespace gibbous {
namespace {

class Shown {
 public:
  explicit Shown(TerminalSize size = {5, 20})
      : screen(size, [this](std::string_view bytes) { answers += bytes; }) {}

  std::string row(std::size_t number) { return screen.rows()[number].text; }
  std::string keys(const std::string& text) {
    const auto strokes = parse_keys(text);
    REQUIRE(strokes.ok());
    return screen.encode(*strokes);
  }

  std::string answers;
  Screen screen;
};

TEST_CASE("output is shown in rows without trailing blanks") {
  Shown shown;
  shown.screen.feed("one\r\n  two   \r\n");
  CHECK(shown.row(0) == "one");
  CHECK(shown.row(1) == "  two");
  CHECK(shown.row(2).empty());
  CHECK(shown.screen.rows().size() == 5);
  CHECK(shown.screen.cursor().row == 2);
  CHECK(shown.screen.cursor().col == 0);
}

TEST_CASE("a sequence and a character may come in pieces of any size") {
  Shown shown;
  for (const char byte : std::string("\x1b[3;5Hna\xC3\xAFve \xE6\xBC\xA2"))
    shown.screen.feed({&byte, 1});
  CHECK(shown.row(2) == "    na\xC3\xAFve \xE6\xBC\xA2");
  CHECK(shown.screen.cursor().col == 12);
}

TEST_CASE("wide characters take two columns and combined ones none") {
  Shown shown;
  shown.screen.feed("\xE6\xBC\xA2|e\xCC\x81|\xF0\x9F\x98\x80|");
  CHECK(shown.row(0) == "\xE6\xBC\xA2|e\xCC\x81|\xF0\x9F\x98\x80|");
  CHECK(shown.screen.cursor().col == 2 + 1 + 1 + 1 + 2 + 1);
}

TEST_CASE("a progress line is shown in its last form") {
  Shown shown;
  shown.screen.feed("10%\r20%\r100%");
  CHECK(shown.row(0) == "100%");
}

TEST_CASE("a character that is repeated is written out") {
  Shown shown;
  shown.screen.feed("-\x1b[4b|\r\n");
  shown.screen.feed("\xE6\xBC\xA2\x1b[2b|\r\n=\x1b[");
  shown.screen.feed("3b|");
  CHECK(shown.row(0) == "-----|");
  CHECK(shown.row(1) == "\xE6\xBC\xA2\xE6\xBC\xA2\xE6\xBC\xA2|");
  CHECK(shown.row(2) == "====|");
}

TEST_CASE("a repetition of nothing and one past the last row both terminate") {
  Shown shown({5, 21});
  shown.screen.feed("\x1b[5bx");
  CHECK(shown.row(0) == "x");
  shown.screen.feed("\x1b[5;1H\xE6\x97\xA5\x1b[99b\x1b[99999999999b");
  for (const char* between : {"\t", "\x7f", "\n", ";3", "?", " ", "\xC2\x9B", "\x1b["}) {
    shown.screen.feed(std::string("\xE6\x97\xA5\x1b") + "[5" + between + "b");
    shown.screen.feed(std::string("\xE6\x97\xA5\x1b") + between + "[5b");
  }
  shown.screen.feed("\x1b]0;title\x1b[5b\x07\x1bPq\x1b[5b\x1b\\");
  shown.screen.feed("\x1b[H\x1b[Jend");
  CHECK(shown.row(0) == "end");
}

TEST_CASE("control characters beyond ASCII, whole or torn, do not move the cursor out") {
  Shown shown;
  shown.screen.feed("\xC2\x9B\xC2\x9B\xC2\x9BX\xC2\r\x9B\xC2\x1b[m\x9BY");
  CHECK(shown.screen.cursor().col > 0);
  shown.screen.feed("\x1b[5bZ");
  CHECK(shown.screen.cursor().col > 0);
}

TEST_CASE("invalid UTF-8 is shown as replacement characters") {
  Shown shown;
  shown.screen.feed(
      "a\xFF"
      "b\xC3(");
  CHECK(is_utf8(shown.row(0)));
  CHECK(shown.row(0).front() == 'a');
}

TEST_CASE("lines that scroll off the top are kept, and counted") {
  Shown shown({5, 20});
  for (int line = 1; line <= 1000; ++line)
    shown.screen.feed("line " + std::to_string(line) + "\r\n");
  CHECK(shown.row(3) == "line 1000");
  CHECK(shown.screen.scrolled() == 996);
  CHECK(shown.screen.scrollback().front() == "line 1");
  CHECK(shown.screen.scrollback().back() == "line 996");
}

TEST_CASE("the scrollback is bounded") {
  Shown shown({5, 20});
  const std::size_t lines = kMaxScrollbackLines + 500;
  for (std::size_t line = 0; line < lines; ++line) shown.screen.feed("x\r\n");
  CHECK(shown.screen.scrollback().size() == kMaxScrollbackLines);
  CHECK(shown.screen.scrolled() == lines - 4);
}

TEST_CASE("the alternate screen is entered and left, and the earlier contents come back") {
  Shown shown;
  shown.screen.feed("$ vi\r\n");
  CHECK(!shown.screen.alternate());
  shown.screen.feed("\x1b[?1049h\x1b[2J\x1b[Hfull");
  CHECK(shown.screen.alternate());
  CHECK(shown.row(0) == "full");
  shown.screen.feed("\x1b[?1049l");
  CHECK(!shown.screen.alternate());
  CHECK(shown.row(0) == "$ vi");
}

TEST_CASE("the title and a hidden cursor are known") {
  Shown shown;
  shown.screen.feed("\x1b]2;my title\x07\x1b[?25l");
  CHECK(shown.screen.title() == "my title");
  CHECK(!shown.screen.cursor().visible);
  shown.screen.feed("\x1b[?25h");
  CHECK(shown.screen.cursor().visible);
}

TEST_CASE("styles mark the text that is not plain") {
  Shown shown;
  shown.screen.feed("a\x1b[1;31mbc\x1b[0md\x1b[7m  \x1b[0m\x1b[38;5;208me\x1b[48;2;1;2;3mf");
  const std::vector<StyledSpan> spans = shown.screen.rows()[0].spans;
  REQUIRE(spans.size() == 4);
  CHECK(spans[0].from == 1);
  CHECK(spans[0].to == 3);
  CHECK(spans[0].style.bold);
  CHECK(spans[0].style.foreground == "red");
  CHECK(spans[1].style.reverse);
  CHECK(spans[2].style.foreground == "color208");
  CHECK(spans[3].style.background == "#010203");
}

TEST_CASE("the version shows which rows changed, and an identical redraw is no change") {
  Shown shown;
  shown.screen.feed("one\r\ntwo\r\n");
  const std::uint64_t before = shown.screen.version();
  shown.screen.feed("\x1b[1;1Hone");
  CHECK(shown.screen.version() == before);
  shown.screen.feed("\x1b[2;1HTWO");
  const std::vector<ScreenRow> rows = shown.screen.rows();
  CHECK(shown.screen.version() > before);
  CHECK(rows[0].changed <= before);
  CHECK(rows[1].changed > before);
}

TEST_CASE("a change of style alone is a change, as menus show their selection that way") {
  Shown shown;
  shown.screen.feed("item");
  const std::uint64_t before = shown.screen.version();
  shown.screen.feed("\x1b[1;1H\x1b[7mitem");
  CHECK(shown.screen.version() > before);
}

TEST_CASE("programs that ask about the cursor and the terminal get answers") {
  Shown shown;
  shown.screen.feed("ab\x1b[6n");
  CHECK(shown.answers == "\x1b[1;3R");
  shown.answers.clear();
  shown.screen.feed("\x1b[c");
  CHECK(shown.answers.starts_with("\x1b[?"));
}

TEST_CASE("cursor keys follow the mode that the program has set") {
  Shown shown;
  CHECK(shown.keys("<Up>") == "\x1b[A");
  shown.screen.feed("\x1b[?1h");
  CHECK(shown.keys("<Up>") == "\x1bOA");
  CHECK(shown.keys("<Home>") == "\x1bOH");
}

TEST_CASE("keys send what xterm sends") {
  Shown shown;
  CHECK(shown.keys("ls<Enter>") == "ls\r");
  CHECK(shown.keys("<S-Tab>") == "\x1b[Z");
  CHECK(shown.keys("<BS>") == "\x7f");
  CHECK(shown.keys("<Del>") == "\x1b[3~");
  CHECK(shown.keys("<PageUp>") == "\x1b[5~");
  CHECK(shown.keys("<F1>") == "\x1bOP");
  CHECK(shown.keys("<F5>") == "\x1b[15~");
  CHECK(shown.keys("<C-Right>") == "\x1b[1;5C");
  CHECK(shown.keys("<C-[>") == "\x1b");
  CHECK(shown.keys("<C-i><C-m>") == "\t\r");
  CHECK(shown.keys("<M-\xC3\xA9>") == "\x1b\xC3\xA9");
  CHECK(shown.keys("<C-/><C-3><C-7>") == "\x1f\x1b\x1f");
  CHECK(shown.keys("<C-1><C--><C-\xC3\xA9>") == "1-\xC3\xA9");
  CHECK(shown.keys("<C-Enter><S-Enter><C-Tab>") == "\r\r\t");
  CHECK(shown.keys("<C-BS><S-BS><C-Esc>") == "\b\x7f\x1b");
  CHECK(shown.keys("<S-a><S-1>") == "A1");
}

TEST_CASE("pasted text is bracketed when the program asked for that, and cannot end the bracket") {
  Shown shown;
  CHECK(shown.screen.encode_paste("a\nb\x1b[201~\x03") == "a\rb[201~");
  shown.screen.feed("\x1b[?2004h");
  CHECK(shown.screen.encode_paste("a\x1b[201~b") == "\x1b[200~a[201~b\x1b[201~");
}

TEST_CASE("a new size keeps what fits, and the number of rows follows it") {
  Shown shown({5, 20});
  shown.screen.feed("hello\r\nworld");
  shown.screen.resize({10, 40});
  CHECK(shown.screen.rows().size() == 10);
  CHECK(shown.row(0) == "hello");
  shown.screen.resize({3, 12});
  CHECK(shown.screen.rows().size() == 3);
  CHECK(shown.screen.size() == TerminalSize{3, 12});
  shown.screen.resize({0, 60'000});
  CHECK(shown.screen.size() == TerminalSize{kMinTerminalRows, kMaxTerminalCols});
}

TEST_CASE("an endless run of combining characters takes no more memory than a short one") {
  Shown shown;
  shown.screen.feed("a");
  constexpr int kMany = 200'000;
  for (int i = 0; i < kMany; ++i) shown.screen.feed("\xCC\x81");
  shown.screen.feed("b");
  CHECK(shown.row(0).size() < 64);
  CHECK(shown.row(0).ends_with("b"));
}

TEST_CASE("a long title is cut") {
  Shown shown;
  shown.screen.feed("\x1b]2;" + std::string(100'000, 't') + "\x07" + "after");
  CHECK(shown.screen.title().size() <= kMaxTitleBytes);
  CHECK(shown.row(0) == "after");
}

// Checks that there are as many rows as the size says, in valid UTF-8, and no longer than their
// cells allow.
void check_screen(Screen& screen) {
  REQUIRE(screen.rows().size() == screen.size().rows);
  for (const ScreenRow& row : screen.rows()) {
    REQUIRE(is_utf8(row.text));
    for (const StyledSpan& span : row.spans) REQUIRE(span.to <= screen.size().cols);
  }
  REQUIRE(screen.cursor().row >= 0);
  REQUIRE(screen.cursor().col >= 0);
  REQUIRE(screen.cursor().row < screen.size().rows);
  REQUIRE(screen.cursor().col <= screen.size().cols);
}

TEST_CASE("any bytes and any sizes leave a readable screen") {
  std::mt19937 random(18);
  const std::vector<std::string> parts = {"\x1b[",
                                          "\x1b]2;",
                                          "\x07",
                                          "\x1b",
                                          "?1049h",
                                          "?1049l",
                                          "H",
                                          "J",
                                          "K",
                                          "m",
                                          ";",
                                          "999",
                                          "1",
                                          "L",
                                          "M",
                                          "P",
                                          "@",
                                          "r",
                                          "\r",
                                          "\n",
                                          "\t",
                                          "\b",
                                          "text",
                                          "b",
                                          "\x1b"
                                          "7",
                                          "\x1b"
                                          "8",
                                          "?6h",
                                          "?69h",
                                          "s",
                                          "u",
                                          "\xC2",
                                          "\x9B",
                                          "\xE6\xBC\xA2",
                                          "\xCC\x81",
                                          "\xFF",
                                          "\x1bP",
                                          "\x1b\\",
                                          "\x1b#3",
                                          "\x1b"
                                          "c",
                                          "S",
                                          "T",
                                          "d",
                                          "G",
                                          "\x84",
                                          "\x1b(0",
                                          "\x0e",
                                          "X",
                                          "'}",
                                          "h"};
  constexpr int kRounds = 3'000;
  Shown shown;
  for (int round = 0; round < kRounds; ++round) {
    std::string bytes;
    for (std::size_t size = random() % 40; size > 0; --size)
      bytes += parts[random() % parts.size()];
    CAPTURE(round, bytes);
    shown.screen.feed(bytes);
    check_screen(shown.screen);
    if (random() % 8 == 0) {
      shown.screen.resize(
          clamp_terminal_size(static_cast<int>(random() % 40), static_cast<int>(random() % 90)));
    }
    check_screen(shown.screen);
  }
}

}  // namespace
}  // namespace gibbous
