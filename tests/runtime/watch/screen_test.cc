// Watchers of screens: what is new, and what was there before.
#include <string>

#include "runtime/terminal/screen.h"
#include "tests/runtime/watch/desk.h"
#include "tests/support/catch.h"

namespace gibbous {
namespace {

using test::compile;
using test::spec_of;
using test::Texts;

constexpr TerminalSize kSize{6, 40};

WatchSpec on_screen(const std::string& regex) {
  WatchSpec spec = spec_of(regex);
  spec.scope = WatchScope::kScreen;
  return spec;
}

struct ScreenDesk {
  explicit ScreenDesk(std::vector<WatchSpec> specs) : set(compile(std::move(specs)), &sink) {}
  explicit ScreenDesk(const std::string& regex) : ScreenDesk(std::vector{on_screen(regex)}) {}

  // Returns the reports once the screen has settled after `bytes`, as "row:line".
  Texts show(std::string_view bytes, ScreenLook look = ScreenLook::kSettled) {
    screen.feed(bytes);
    set.look(screen, look);
    Texts told;
    for (const WatchMatch& match : std::exchange(sink.matches, {})) {
      told.push_back(std::to_string(match.row) + ":" + match.line);
      last = match;
    }
    return told;
  }
  // The same while output goes on.
  Texts show_some(std::string_view bytes) { return show(bytes, ScreenLook::kInTheMiddle); }

  testing::MatchDesk sink;
  WatchSet set;
  Screen screen{kSize, nullptr};
  WatchMatch last;
};

const std::string kClear = "\x1b[2J\x1b[H";
const std::string kEnter = "\x1b[?1049h\x1b[2J\x1b[H";  // as full-screen programs do
const std::string kLeave = "\x1b[?1049l";

TEST_CASE("new text on a screen is reported once, with its row") {
  ScreenDesk desk("Build (\\w+)");
  CHECK(desk.show("$ make\r\n").empty());
  CHECK(desk.show("\x1b[31mBuild failed\x1b[0m!\r\n") == Texts{"2:Build failed!"});
  CHECK(desk.last.stream == WatchStream::kScreen);
  CHECK(desk.last.row == 2);
  REQUIRE(desk.last.groups.size() == 1);
  CHECK(desk.last.groups[0].text == "failed");
  CHECK(desk.show("").empty());
  CHECK(desk.show("$ ").empty());
  CHECK(desk.show("\x1b[2;1HBuild failed").empty());
  CHECK(desk.show(kClear + "\r\nBuild failed!").empty());
}

TEST_CASE("text that leaves a screen and returns is reported again") {
  ScreenDesk desk("-- (INSERT|VISUAL) --");
  CHECK(desk.show("\x1b[6H-- INSERT --") == Texts{"6:-- INSERT --"});
  CHECK(desk.show("\x1b[6H\x1b[K").empty());
  CHECK(desk.show("\x1b[6H-- INSERT --") == Texts{"6:-- INSERT --"});
  CHECK(desk.show("\x1b[6H\x1b[K-- VISUAL --") == Texts{"6:-- VISUAL --"});
  CHECK(desk.show("\x1b[6H\x1b[K-- INSERT --") == Texts{"6:-- INSERT --"});
}

TEST_CASE("a redrawn line is reported for each matching text") {
  ScreenDesk desk("(\\d+)%");
  CHECK(desk.show("| 42% done") == Texts{"1:| 42% done"});
  CHECK(desk.show("\r/ 42% done").empty());
  CHECK(desk.show("\r- 43% done") == Texts{"1:- 43% done"});
  CHECK(desk.show("\x1b[1G\\ 43%").empty());
}

TEST_CASE("scrolling repeats no report, on the main screen or in a full-screen program") {
  for (const std::string& enter : {std::string(), kEnter}) {
    ScreenDesk desk("Build failed");
    CHECK(desk.show(enter + "\x1b[6HBuild failed").size() == 1);
    for (int row = 5; row > 0; --row) CHECK(desk.show("\r\nmore").empty());
    CHECK(desk.show("\r\nmore").empty());
    CHECK(desk.show("\r\nBuild failed") == Texts{"6:Build failed"});
  }
}

TEST_CASE("a second copy of the same text is reported, with its row") {
  ScreenDesk desk("ERROR");
  CHECK(desk.show("ERROR a\r\nERROR b\r\n") == Texts{"1:ERROR a", "2:ERROR b"});
  CHECK(desk.show("ERROR b\r\n") == Texts{"3:ERROR b"});
  CHECK(desk.show("ERROR b\r\nERROR b\r\n") == Texts{"4:ERROR b", "5:ERROR b"});
  CHECK(desk.show("ERROR b\r\n") == Texts{"5:ERROR b"});
  CHECK(desk.show("ERROR b\r\nERROR c\r\n") == Texts{"4:ERROR b", "5:ERROR c"});
  CHECK(desk.show("fine\r\n").empty());
}

TEST_CASE("an unchanged screen reports nothing, however much has scrolled past") {
  ScreenDesk desk("y");
  std::string flood;
  for (int at = 0; at < 100; ++at) flood += "y\r\n";
  CHECK(desk.show(flood).size() == 5);
  CHECK(desk.show(flood).empty());
  // The last row stays while the rows above it scroll, as with package managers.
  ScreenDesk bar("(\\d+)%");
  CHECK(bar.show("\x1b[6H 42%\x1b[1;5r\x1b[1H") == Texts{"6: 42%"});
  CHECK(bar.show(flood).empty());
  CHECK(bar.show("y\r\n").empty());
}

TEST_CASE("new lines with the text of scrolled-off ones are reported") {
  ScreenDesk desk("ERROR");
  CHECK(desk.show("ERROR 1\r\n").size() == 1);
  std::string flood;
  for (int at = 0; at < 10; ++at) flood += "ERROR 2" + std::to_string(at) + "\r\n";
  CHECK(desk.show(flood).size() == 5);
}

TEST_CASE("a full-screen program hides the main screen, which is not new when it comes back") {
  ScreenDesk desk("Build failed");
  CHECK(desk.show("Build failed\r\n").size() == 1);
  CHECK(desk.show(kEnter + "notes").empty());
  CHECK(desk.show("\r\nBuild failed") == Texts{"2:Build failed"});
  CHECK(desk.show(kLeave).empty());
  CHECK(desk.show(kEnter + "Build failed") == Texts{"1:Build failed"});
  CHECK(desk.show(kLeave + "\r\nBuild failed") == Texts{"3:Build failed"});
}

TEST_CASE("text missing during a redraw is not gone, but text that stays away is") {
  ScreenDesk desk("Build failed");
  CHECK(desk.show_some("\r\nBuild failed") == Texts{"2:Build failed"});
  CHECK(desk.show_some(kClear + "\r\n").empty());
  CHECK(desk.show_some("Build failed").empty());
  CHECK(desk.show_some(kClear).empty());
  CHECK(desk.show("").empty());
  CHECK(desk.show("Build failed") == Texts{"1:Build failed"});
  CHECK(desk.show_some(kClear).empty());
  CHECK(desk.show_some("x").empty());
  CHECK(desk.show_some("\r\nBuild failed") == Texts{"2:Build failed"});
}

TEST_CASE("once means once on a screen too, and the screen is not scanned again") {
  std::vector specs{on_screen("\\d+%"), on_screen("done")};
  specs[0].once = true;
  specs[1].once = true;
  ScreenDesk desk(specs);
  CHECK(desk.show("1%\r\n2%") == Texts{"1:1%"});
  CHECK(desk.show(kClear + "3%").empty());
  CHECK(desk.set.wants_screen());
  CHECK(desk.show("\r\ndone").size() == 1);
  CHECK_FALSE(desk.set.wants_screen());
  CHECK(desk.set.spent());
}

TEST_CASE("a match on a screen has the shown rows around it") {
  std::vector specs{on_screen("three")};
  specs[0].context_before = 1;
  specs[0].context_after = 3;
  ScreenDesk desk(specs);
  CHECK(desk.show("one\r\ntwo\r\nthree\r\n\r\nfive").size() == 1);
  CHECK(desk.last.before == Texts{"two"});
  CHECK(desk.last.after == Texts{"", "five"});
  CHECK(desk.show(kClear + "three").size() == 0);
  CHECK(desk.show(kClear).empty());
  CHECK(desk.show("three").size() == 1);
  CHECK(desk.last.before.empty());
  CHECK(desk.last.after.empty());
}

TEST_CASE("reports go by row from the top, then by watcher") {
  ScreenDesk desk({on_screen("b"), spec_of("b"), on_screen("[ab]")});
  CHECK(desk.show("a\r\nb") == Texts{"1:a", "2:b", "2:b"});
  CHECK(desk.last.watcher == 2);
}

TEST_CASE("blank rows at the bottom do not count") {
  ScreenDesk desk("^$");
  CHECK(desk.show("").empty());
  CHECK(desk.show("\r\nx") == Texts{"1:"});
}

TEST_CASE("watchers of lines ignore the screen, and watchers of the screen ignore lines") {
  ScreenDesk desk({on_screen("word"), spec_of("word")});
  desk.set.feed(WatchStream::kStdout, 0, "word\n");
  REQUIRE(desk.sink.matches.size() == 1);
  CHECK(desk.sink.matches[0].watcher == 1);
  CHECK(desk.sink.matches[0].row == 0);
  desk.sink.matches.clear();
  CHECK(desk.show("word") == Texts{"1:word"});
  CHECK(desk.last.watcher == 0);
}

TEST_CASE("a match that is not wanted counts as seen") {
  struct Refusing final : WatchSink {
    bool wants(std::size_t) override { return ++asked > 1; }
    void on_match(WatchMatch match) override { line = match.line; }
    int asked = 0;
    std::string line;
  } sink;
  WatchSet set(compile({on_screen("hit")}), &sink);
  Screen screen(kSize, nullptr);
  screen.feed("hit 1");
  set.look(screen, ScreenLook::kSettled);
  screen.feed("\r\nhit 2");
  set.look(screen, ScreenLook::kSettled);
  CHECK(sink.asked == 2);
  CHECK(sink.line == "hit 2");
}

TEST_CASE("a screen that changes its size is not new") {
  ScreenDesk desk("Build failed");
  CHECK(desk.show("one\r\ntwo\r\nBuild failed\r\nfour\r\nfive\r\nsix").size() == 1);
  desk.screen.resize({4, 60});
  CHECK(desk.show("").empty());
  desk.screen.resize({8, 30});
  CHECK(desk.show("").empty());
}

}  // namespace
}  // namespace gibbous
