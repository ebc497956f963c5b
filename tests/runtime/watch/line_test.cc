// A watcher sees a line as a person does: whole, and once.
#include <string>

#include "tests/runtime/watch/desk.h"
#include "tests/support/catch.h"

namespace gibbous {
namespace {

using test::Desk;
using test::spec_of;
using test::Texts;

TEST_CASE("a match has the line's position, its text and its captures") {
  Desk desk("listening on (?P<host>\\S+):(\\d+)(!)?");
  desk.feed("starting\nserver listening on 127.0.0.1:8080 now\n");
  REQUIRE(desk.matches().size() == 1);
  const WatchMatch& match = desk.matches().front();
  CHECK(match.watcher == 0);
  CHECK(match.event == "found");
  CHECK(match.stream == WatchStream::kStdout);
  CHECK(match.line == "server listening on 127.0.0.1:8080 now");
  CHECK(match.offset == 9);
  CHECK(match.line_number == 1);
  CHECK_FALSE(match.partial);
  CHECK_FALSE(match.cut);
  REQUIRE(match.groups.size() == 3);
  CHECK(match.groups[0].name == "host");
  CHECK(match.groups[0].text == "127.0.0.1");
  CHECK(match.groups[1].text == "8080");
  CHECK(match.groups[1].matched);
  CHECK_FALSE(match.groups[2].matched);
}

TEST_CASE("a coloured line is matched as displayed, even if chunks cut its colours") {
  const std::string output =
      "  \x1b[32m\xe2\x9e\x9c\x1b[39m  \x1b[1mLocal\x1b[22m:   "
      "\x1b[36mhttp://localhost:\x1b[1m5173\x1b[22m/\x1b[39m\n";
  for (std::size_t cut = 0; cut <= output.size(); ++cut) {
    Desk desk("^  ➜  Local: +http://localhost:(\\d+)/$");
    desk.feed(output.substr(0, cut));
    desk.feed(output.substr(cut));
    REQUIRE(desk.lines() == Texts{"  ➜  Local:   http://localhost:5173/"});
    CHECK(desk.matches()[0].groups[0].text == "5173");
    CHECK(desk.matches()[0].offset == 0);
  }
}

TEST_CASE("invisible text is not matched") {
  Desk desk("31m|\\x1b");
  desk.feed("\x1b[31mred\x1b[0m\n");
  CHECK(desk.matches().empty());
}

TEST_CASE("a line ends before a return and a newline") {
  Desk desk("^done$");
  desk.feed("done\r\nnot done\r\ndone\r\n");
  CHECK(desk.lines() == Texts{"done", "done"});
  CHECK(desk.matches()[1].offset == 16);
  CHECK(desk.matches()[1].line_number == 2);
}

TEST_CASE("a progress line is matched in its last form") {
  Desk desk("^\\d+%");
  desk.feed("10%\r50%\r100% done\nnext\n");
  CHECK(desk.lines() == Texts{"100% done"});
  CHECK(desk.matches()[0].offset == 0);
}

TEST_CASE("a progress line without an end is matched when it is flushed") {
  Desk desk("^(\\d+)%");
  desk.feed("10%\r50%");
  desk.flush();
  desk.feed("\r90%");
  desk.flush();
  desk.end();
  CHECK(desk.lines() == Texts{"50%"});
}

TEST_CASE("invalid UTF-8 is seen as a replacement character") {
  Desk desk("^a.b$");
  desk.feed(
      "a\xff"
      "b\n");
  CHECK(desk.lines() == Texts{"a\xEF\xBF\xBD"
                              "b"});
}

TEST_CASE("no match crosses the end of a line") {
  Desk desk("one\\s+two|one[^x]two|(?s)one.two|one\\ntwo");
  desk.feed("one\ntwo\none two\n");
  CHECK(desk.lines() == Texts{"one two"});
}

TEST_CASE("each line is matched alone, in every spelling of its anchors") {
  for (const char* regex : {"^b$", "\\Ab\\z", "(?m)^b$", "(?-m)^b$"}) {
    Desk desk(regex);
    desk.feed("a\nb\nc\nbb\n\n");
    CHECK(desk.lines() == Texts{"b"});
  }
}

TEST_CASE("an empty line is a line, but nothing after the last newline is not") {
  Desk desk("^$");
  desk.feed("\na\n\n");
  desk.end();
  CHECK(desk.lines() == Texts{"", ""});
  CHECK(desk.matches()[1].offset == 3);
}

TEST_CASE("a last line without an end is matched when the stream ends") {
  Desk desk("last");
  desk.feed("first\nlast");
  CHECK(desk.matches().empty());
  desk.end();
  CHECK(desk.lines() == Texts{"last"});
  CHECK_FALSE(desk.matches()[0].partial);
}

TEST_CASE("letters that RE2 folds from beyond ASCII are found") {
  Desk desk("(?i)risk");
  desk.feed(
      "RI\xC5\xBF"
      "K\nr\xC4\xB0sk\nris\xE2\x84\xAA\nRiSk\n");
  CHECK(desk.lines() == Texts{"RI\xC5\xBF"
                              "K",
                              "ris\xE2\x84\xAA", "RiSk"});
}

TEST_CASE("only the beginning of an overlong line is matched") {
  const std::string filler(kMaxMatchedBytes - 4, 'x');
  for (const std::size_t chunk : {std::size_t{1000}, std::size_t{1} << 20}) {
    Desk desk({spec_of("seen$"), spec_of("unseen"), spec_of("^after")});
    const std::string output = "before\n" + filler + "seenunseen\nafter\n";
    for (std::size_t at = 0; at < output.size(); at += chunk) desk.feed(output.substr(at, chunk));
    REQUIRE(desk.matches().size() == 2);
    CHECK(desk.matches()[0].line == filler + "seen");
    CHECK(desk.matches()[0].cut);
    CHECK(desk.matches()[1].line == "after");
    CHECK(desk.matches()[1].line_number == 2);
    CHECK(desk.matches()[1].offset == output.size() - 6);
  }
}

TEST_CASE("a line that never ends takes bounded memory") {
  Desk desk("needle");
  const std::string much(std::size_t{1} << 20, 'x');
  desk.feed("needle");
  for (int i = 0; i < 64; ++i) desk.feed(much);
  desk.feed("\nneedle\n");
  REQUIRE(desk.matches().size() == 2);
  CHECK(desk.matches()[0].line.size() == kMaxMatchedBytes);
  CHECK(desk.matches()[1].offset == 64 * much.size() + 7);
}

}  // namespace
}  // namespace gibbous
