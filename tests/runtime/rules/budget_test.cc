// What judging a line may cost is counted, not timed: a line has the same verdict on any machine.
#include <string>
#include <vector>

#include "tests/runtime/rules/by_hand.h"

using namespace by_hand;  // NOLINT: the words of this test

namespace {

constexpr std::size_t kUsual = 1000;
constexpr std::size_t kTooMany = 8000;

Facts many(std::size_t count, const std::string& last = "git status") {
  std::vector<SimpleCommand> commands(count - 1, command("git status"));
  commands.push_back(command(last));
  return facts(commands);
}

Rule tested(const std::string& id, Decision decision) {
  Rule made = of_program(id, decision, "git");
  made.test = 0;
  return made;
}

}  // namespace

TEST_CASE("a line with more commands than the budget pays for is denied") {
  const auto set = rule_set({tested("git", Decision::kAllow), tested("also", Decision::kAllow)});
  std::size_t calls = 0;
  const auto count = [&](const Rule&, const Facts&, int) {
    ++calls;
    return gibbous::rules::TestAnswer(true);
  };
  CHECK(set->judge(many(kUsual), count).decision == Decision::kAllow);
  CHECK(calls == 2 * kUsual);
  calls = 0;
  const Outcome outcome = set->judge(many(kTooMany), count);
  CHECK(outcome.decision == Decision::kDeny);
  CHECK(outcome.id == "doubt.unjudged");
  CHECK_FALSE(outcome.may_confine);
  CHECK(calls < 2 * kTooMany);
  std::vector<gibbous::rules::Step> steps;
  CHECK(set->judge(many(kTooMany), count, &steps).id == outcome.id);
}

TEST_CASE("long commands use up the budget sooner") {
  const auto set = rule_set({tested("git", Decision::kAllow)});
  std::string words = "git";
  for (int i = 0; i < 1000; ++i) words += " a";
  std::size_t calls = 0;
  const auto count = [&](const Rule&, const Facts&, int) {
    ++calls;
    return gibbous::rules::TestAnswer(true);
  };
  const Facts line = facts(std::vector<SimpleCommand>(kUsual, command(words)));
  CHECK(set->judge(line, count).id == "doubt.unjudged");
  CHECK(calls < kUsual);
}

TEST_CASE("what is denied before the budget is used up says why") {
  const auto set =
      rule_set({tested("git", Decision::kAllow), of_program("rm", Decision::kDeny, "rm")});
  const auto holds = [](const Rule&, const Facts&, int) {
    return gibbous::rules::TestAnswer(true);
  };
  Facts line = many(kTooMany);
  line.commands[0] = command("rm x");
  CHECK(set->judge(line, holds).id == "rm");
  CHECK(set->judge(many(kUsual, "rm x"), holds).id == "rm");
}

TEST_CASE("a line that is not whole is judged for a better reason, but not for long") {
  const auto set = rule_set({tested("git", Decision::kAllow)});
  std::size_t calls = 0;
  const auto count = [&](const Rule&, const Facts&, int) {
    ++calls;
    return gibbous::rules::TestAnswer(true);
  };
  (void)set->judge(many(kTooMany), count);
  const std::size_t whole = calls;
  calls = 0;
  Facts cut = many(kTooMany);
  cut.doubts.push_back({Doubt::kUnjudged, -1, 0, ""});
  CHECK(set->judge(cut, count).id == "doubt.unjudged");
  CHECK(calls < whole / 2);
}
