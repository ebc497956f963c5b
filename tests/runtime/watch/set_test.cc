// A set of watchers over two streams: scope, once, prompts, gaps, and the lines around matches.
#include <string>

#include "tests/runtime/watch/desk.h"
#include "tests/support/catch.h"

namespace gibbous {
namespace {

using test::compile;
using test::Desk;
using test::spec_of;
using test::Texts;

WatchSpec around(const std::string& regex, unsigned before, unsigned after) {
  WatchSpec spec = spec_of(regex);
  spec.context_before = before;
  spec.context_after = after;
  return spec;
}

TEST_CASE("a watcher looks at the streams of its scope") {
  std::vector<WatchSpec> specs(3, spec_of("word"));
  specs[1].scope = WatchScope::kStdout;
  specs[2].scope = WatchScope::kStderr;
  Desk desk(specs);
  desk.feed("word\n");
  desk.feed("word\n", WatchStream::kStderr);
  REQUIRE(desk.matches().size() == 4);
  CHECK(desk.matches()[0].watcher == 0);
  CHECK(desk.matches()[1].watcher == 1);
  CHECK(desk.matches()[2].watcher == 0);
  CHECK(desk.matches()[2].stream == WatchStream::kStderr);
  CHECK(desk.matches()[3].watcher == 2);
}

TEST_CASE("once means once for both streams") {
  std::vector<WatchSpec> specs{spec_of("ready"), spec_of("never")};
  specs[0].once = true;
  specs[1].once = true;
  Desk desk(specs);
  desk.feed("ready\nready\n", WatchStream::kStderr);
  desk.feed("ready\n");
  CHECK(desk.matches().size() == 1);
  CHECK_FALSE(desk.set.spent());
  desk.feed("never\n");
  CHECK(desk.set.spent());
  desk.feed("ready never\n");
  CHECK(desk.matches().size() == 2);
}

TEST_CASE("matches come by lines and, on one line, by watchers") {
  Desk desk({spec_of("\\d"), spec_of("alpha"), spec_of("beta"), spec_of("\\Abeta")});
  desk.feed("beta alpha 1\nnothing\nalpha\nbeta 2\n");
  std::string order;
  for (const WatchMatch& match : desk.matches()) {
    order += std::to_string(match.line_number) + ":" + std::to_string(match.watcher) + " ";
  }
  CHECK(order == "0:0 0:1 0:2 0:3 2:1 3:0 3:2 3:3 ");
}

TEST_CASE("a prompt is matched when it is flushed, and not again when its line continues") {
  Desk desk({spec_of("[Pp]assword: ?$"), spec_of("wrong")});
  desk.feed("Password: ");
  CHECK(desk.matches().empty());
  desk.flush();
  desk.flush();
  REQUIRE(desk.lines() == Texts{"Password: "});
  CHECK(desk.matches()[0].partial);
  desk.feed("wrong, password: ");
  desk.flush();
  CHECK(desk.lines() == Texts{"Password: ", "Password: wrong, password: "});
  CHECK(desk.matches()[1].watcher == 1);
  desk.feed("\nPassword:\n");
  CHECK(desk.lines().size() == 3);
  CHECK(desk.matches()[2].line_number == 1);
}

TEST_CASE("half a character at the end of a prompt is left out until the rest comes") {
  Desk desk("^caf.?$");
  desk.feed("caf\xc3");
  desk.flush();
  CHECK(desk.lines() == Texts{"caf"});
}

TEST_CASE("a match that is rejected does not use up once") {
  struct Refusing final : WatchSink {
    bool wants(std::size_t) override { return ++asked > 1; }
    void on_match(WatchMatch match) override { line = match.line; }
    int asked = 0;
    std::string line;
  } sink;
  WatchSpec spec = spec_of("hit");
  spec.once = true;
  WatchSet set(compile({spec}), &sink);
  set.feed(WatchStream::kStdout, 0, "hit 1\nhit 2\nhit 3\n");
  CHECK(sink.asked == 2);
  CHECK(sink.line == "hit 2");
}

TEST_CASE("output fed before is ignored, and a gap ends the line before it") {
  Desk desk("word");
  desk.set.feed(WatchStream::kStdout, 0, "word\nwo");
  desk.set.feed(WatchStream::kStdout, 2, "rd\nword");
  CHECK(desk.lines() == Texts{"word"});
  desk.set.feed(WatchStream::kStdout, 100, "rd word\n");
  CHECK(desk.lines() == Texts{"word", "word", "rd word"});
  CHECK(desk.matches()[2].offset == 100);
  CHECK(desk.matches()[2].line_number == 2);
}

TEST_CASE("a set that begins in the middle of a stream counts from there") {
  Desk desk("word");
  desk.set.skip_to(WatchStream::kStdout, 5000, 70);
  desk.set.feed(WatchStream::kStdout, 4990, "word word\nword\nword\n");
  REQUIRE(desk.matches().size() == 2);
  CHECK(desk.matches()[0].offset == 5000);
  CHECK(desk.matches()[0].line_number == 70);
  CHECK(desk.matches()[1].line_number == 71);
}

TEST_CASE("a match has the lines around it, from chunks before and after") {
  Desk desk(std::vector{around("hit", 2, 2)});
  desk.feed("zero\none\n\x1b[1mtwo\x1b[0m");
  desk.feed("\r\nhit\nthr");
  CHECK(desk.matches().empty());
  desk.feed("ee\nfour\nfive\n");
  REQUIRE(desk.matches().size() == 1);
  CHECK(desk.matches()[0].before == Texts{"one", "two"});
  CHECK(desk.matches()[0].after == Texts{"three", "four"});
}

TEST_CASE("a match does not wait for more lines when the stream is quiet or ends") {
  Desk desk(std::vector{around("hit", 1, 3)});
  desk.feed("hit\nafter\n");
  desk.flush();
  REQUIRE(desk.matches().size() == 1);
  CHECK(desk.matches()[0].before.empty());
  CHECK(desk.matches()[0].after == Texts{"after"});
  desk.feed("hit\nlast");
  desk.end();
  REQUIRE(desk.matches().size() == 2);
  CHECK(desk.matches()[1].after == Texts{"last"});
}

TEST_CASE("a match of a once watcher still gets the lines after it") {
  std::vector specs{around("hit", 0, 1)};
  specs[0].once = true;
  Desk desk(specs);
  desk.feed("hit\n");
  CHECK(desk.set.spent());
  desk.feed("after\n");
  REQUIRE(desk.matches().size() == 1);
  CHECK(desk.matches()[0].after == Texts{"after"});
}

TEST_CASE("a hundred watchers report what each of them would report alone") {
  std::vector<WatchSpec> specs;
  for (int at = 0; at < 100; ++at) specs.push_back(spec_of("word" + std::to_string(at) + "\\b"));
  Desk desk(specs);
  desk.feed("Word7 word7 and word42\nword100\nword99\n");
  REQUIRE(desk.matches().size() == 3);
  CHECK(desk.matches()[0].watcher == 7);
  CHECK(desk.matches()[1].watcher == 42);
  CHECK(desk.matches()[2].watcher == 99);
}

}  // namespace
}  // namespace gibbous
