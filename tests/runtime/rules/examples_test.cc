// Examples of rules, judged through the analyser: which pass, and the messages for authors.
#include <algorithm>
#include <string>

#include "tests/runtime/rules/by_hand.h"

using namespace by_hand;  // NOLINT: the words of this test
using gibbous::rules::check_examples;
using gibbous::rules::Example;
using gibbous::rules::judge_example;
using gibbous::rules::Judged;

namespace {

Rule with_examples(Rule made, std::vector<Example> match, std::vector<Example> not_match = {}) {
  made.match = std::move(match);
  made.not_match = std::move(not_match);
  return made;
}

Example line(const std::string& text) {
  return {text, {}, "", ""};
}

std::string complaint(std::vector<Rule> rules, const TestFunction& test = {}) {
  const Status status = check_examples(*rule_set(std::move(rules)), test);
  if (!status) CHECK(status.code() == "examples_failed");
  return status.message();
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("rules with correct examples pass") {
  Rule force = of_program("force", Decision::kAsk, "tool");
  force.flags = {{"-f", "--force"}};
  CHECK(complaint({with_examples(force,
                                 {line("tool -f"),
                                  line("cd x && tool --fo"),
                                  {"", {"tool", "-f"}, "/workspace/src", ""}},
                                 {line("tool f"), line("echo -f"), line("echo 'tool -f'")}),
                   with_examples(of_program("tool", Decision::kAllow, "tool"),
                                 {line("tool"), line("tool -f")}, {line("other")})}) == "");
}

TEST_CASE("an example that does not match says why, and which rule decides instead") {
  Rule force = of_program("force", Decision::kAsk, "tool");
  force.flags = {{"-f", "--force"}};
  const Rule allow = with_examples(of_program("tool", Decision::kAllow, "tool"), {line("tool")});
  CHECK(complaint({with_examples(force, {line("tool -f"), line("tool -g")}), allow}) ==
        "rules.lua:7: rule force: match \"tool -g\": is not matched (no flag -f --force); it is "
        "decided allow by tool (rules.lua:7)");
  CHECK(complaint({with_examples(force, {line("other -f")})}) ==
        "rules.lua:7: rule force: match \"other -f\": is not matched (no command in it has such a "
        "program); no rule says anything about it");
}

TEST_CASE("a not_match that matches reports the conditions that held") {
  const std::string message = complaint({with_examples(of_program("r", Decision::kDeny, "tool"),
                                                       {line("tool")}, {line("echo; tool")})});
  CHECK(message ==
        "rules.lua:7: rule r: not_match \"echo; tool\": is matched (program \"tool\"); it is "
        "decided deny by r (rules.lua:7)");
}

TEST_CASE("a rule that never decides is shadowed") {
  const Rule deny = with_examples(of_program("deny", Decision::kDeny, "tool"), {line("tool")});
  const Rule ask =
      with_examples(of_program("ask", Decision::kAsk, "tool"), {line("tool a"), line("tool b")});
  CHECK(complaint({ask, deny}) ==
        "rules.lua:7: rule ask: is shadowed: no example under match is decided ask; \"tool a\": it "
        "is decided deny by deny (rules.lua:7)");
}

TEST_CASE(
    "a rule of one's own may overrule one that ships, and its reason wins over an equal one") {
  Rule shipped = with_examples(of_program("shipped", Decision::kAsk, "tool"), {line("tool a")});
  shipped.shipped = true;
  const Rule deny = with_examples(of_program("own", Decision::kDeny, "tool"), {line("tool")});
  CHECK(complaint({shipped, deny}) == "");
  const Rule ask = with_examples(of_program("own", Decision::kAsk, "tool"), {line("tool")});
  const auto set = rule_set({shipped, ask});
  CHECK(judge_example(*set, line("tool a"), nullptr).outcome.id == "own");
  // The other way round nothing has changed.
  Rule strict = with_examples(of_program("shipped", Decision::kDeny, "tool"), {line("tool")});
  strict.shipped = true;
  CHECK(contains(complaint({strict, ask}), "own: is shadowed"));
}

TEST_CASE("a failing test function is reported for each example") {
  Rule made = of_program("r", Decision::kAsk, "tool");
  made.test = 0;
  const TestFunction test = [](const Rule&, const Facts&, int) {
    return Result<gibbous::rules::TestAnswer>(Status::error("script_error", "boom"));
  };
  const std::string message =
      complaint({with_examples(made, {line("tool a")}, {line("tool b")})}, test);
  CHECK(contains(message, "match \"tool a\": is not matched; it is decided deny by policy_error"));
  CHECK(contains(message, "not_match \"tool b\": it is decided deny by policy_error"));
  CHECK(contains(message, "boom"));
}

TEST_CASE("every wrong example is reported") {
  const std::string message = complaint(
      {with_examples(of_program("a", Decision::kAsk, "a"), {line("x"), line("y")}, {line("a")}),
       with_examples(of_program("b", Decision::kAsk, "b"), {line("x")})});
  CHECK(std::count(message.begin(), message.end(), '\n') == 3);
}

TEST_CASE("an example is judged in /workspace with home /home/user") {
  Rule made = rule("r", Decision::kAsk);
  made.access = {AccessKind::kWrite};
  made.paths = gibbous::command::kInWorkspace;
  const auto set = rule_set({made});
  const Judged inside = judge_example(*set, line("echo > x"), {});
  REQUIRE(inside.outcome.id == "r");
  REQUIRE_FALSE(inside.facts.commands.empty());
  REQUIRE_FALSE(inside.facts.commands[0].accesses.empty());
  CHECK(inside.facts.commands[0].accesses[0].path == "/workspace/x");
  CHECK(judge_example(*set, {"echo > x", {}, "/home/user", ""}, {}).outcome.id != "r");
  CHECK(judge_example(*set, {"", {"echo", ">", "x"}, "", ""}, {}).outcome.id != "r");
}
