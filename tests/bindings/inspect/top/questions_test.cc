// The open questions of the policy on the screen of `gibbous top`, without a terminal.
#include "bindings/inspect/top/questions.h"

#include <string>
#include <utility>
#include <vector>

#include "bindings/inspect/top/top.h"
#include "tests/support/catch.h"

using Catch::Matchers::Contains;
using gibbous::AskAnswer;
using gibbous::OpenAsk;
using namespace gibbous::top;

namespace {

constexpr std::int64_t kNow = 1'700'000'000'000;
constexpr ScreenSize kSize{.rows = 30, .columns = 80};

Key key(char character) {
  return {.kind = Key::Kind::kCharacter, .character = character};
}

OpenAsk question(const std::string& id, const std::string& command, std::int64_t age) {
  OpenAsk open;
  open.ask.id = id;
  open.ask.command = command;
  open.ask.rule = "git.push";
  open.ask.rules = {"git.push"};
  open.ask.reason = "This publishes\x1b commits.";
  open.ask.session = "claude";
  open.opened = kNow / 1'000 - age;
  return open;
}

struct Screened {
  std::vector<std::pair<std::string, AskAnswer>> given;
  Top top{nullptr, [this](const std::string& id, const AskAnswer& answer) {
            given.emplace_back(id, answer);
            return "answered " + id;
          }};
  Screened() { top.take({}, kNow); }
  std::string shown(ScreenSize size = kSize) const {
    std::string text;
    for (const std::string& line : top.frame(size, nullptr)) text += line + "\n";
    return text;
  }
};

}  // namespace

TEST_CASE("top shows the oldest questions, and a letter answers the one on the screen") {
  Screened screen;
  screen.top.press(key('?'));
  CHECK_THAT(screen.shown(), Contains("no question waits for a person"));
  screen.top.take_asks({question("AAAA", "git push", 60), question("BBBB", "git push -f", 5)});
  CHECK_THAT(screen.shown(), Contains("2 questions") && Contains("? 1m00s  git push  (git.push)"));
  // No letter answers before the question is on the screen.
  screen.top.press(key('y'));
  CHECK(screen.given.empty());
  screen.top.press(key('?'));
  CHECK_THAT(screen.shown(), Contains("Question AAAA of claude") &&
                                 Contains("\ngit push\nWhy: This publishes\\x1b commits.") &&
                                 Contains("y  Allow once"));
  // It offers neither a prefix nor a rule.
  screen.top.press(key('r'));
  screen.top.press(key('p'));
  CHECK(screen.given.empty());
  screen.top.press(key('?'));
  screen.top.press(key('s'));
  REQUIRE(screen.given.size() == 1);
  CHECK(screen.given.front().first == "BBBB");
  CHECK(screen.given.front().second.allow);
  CHECK(screen.given.front().second.remember == AskAnswer::Remember::kSession);
  CHECK_THAT(screen.shown(), Contains("answered BBBB"));
  screen.top.press(key('?'));
  screen.top.press(key('n'));
  CHECK_FALSE(screen.given.back().second.allow);
}

TEST_CASE("top leaves a question open, and says when it is answered elsewhere") {
  Screened screen;
  screen.top.take_asks({question("AAAA", "git push", 60)});
  screen.top.press(key('?'));
  screen.top.press(key('q'));
  CHECK_FALSE(screen.top.done());
  CHECK(screen.given.empty());
  screen.top.press(key('?'));
  screen.top.take_asks({});
  CHECK_THAT(screen.shown(), Contains("question AAAA is over"));
  screen.top.press(key('y'));
  CHECK(screen.given.empty());
}

TEST_CASE("top says when a question is longer than the screen") {
  Screened screen;
  screen.top.take_asks({question("AAAA", std::string(2'000, 'x'), 60)});
  screen.top.press(key('?'));
  const auto frame = screen.top.frame({.rows = 10, .columns = 40}, nullptr);
  CHECK(frame.size() == 10);
  CHECK_THAT(screen.shown({.rows = 10, .columns = 40}),
             Contains("it is longer: gibbous asks show AAAA"));
}
