// The joint decision of matching rules: order, doubts, modes, test functions.
#include <random>
#include <string>

#include "tests/runtime/rules/by_hand.h"

using namespace by_hand;  // NOLINT: the words of this test
using gibbous::rules::kMaxMissedSteps;
using gibbous::rules::kPolicyError;

namespace {

Rule on_doubt(const std::string& id, Decision decision, Doubt doubt) {
  Rule made = rule(id, decision);
  made.doubts = {doubt};
  return made;
}

void add_doubt(Facts& facts, Doubt doubt, int command, const std::string& detail = "") {
  facts.doubts.push_back({doubt, command, 0, detail});
}

}  // namespace

TEST_CASE("deny comes before ask before allow, whatever their order in the set") {
  const Rule allow = of_program("allow", Decision::kAllow, "git");
  const Rule ask = of_program("ask", Decision::kAsk, "git*");
  const Rule deny = of_program("deny", Decision::kDeny, "git");
  const Facts git = facts("git push");
  CHECK(rule_set({allow})->judge(git, {}).decision == Decision::kAllow);
  CHECK(rule_set({allow, ask})->judge(git, {}).decision == Decision::kAsk);
  const auto set = rule_set({allow, ask, deny});
  const Outcome outcome = set->judge(git, {});
  CHECK(outcome.decision == Decision::kDeny);
  CHECK(outcome.rule == &set->rules()[2]);
  CHECK(outcome.id == "deny");
  CHECK(outcome.reason == "A reason.");
  CHECK(outcome.file == "rules.lua");
  CHECK(outcome.line == 7);
  CHECK(outcome.command == 0);
  CHECK(ids(outcome) == std::vector<std::string>{"deny", "ask", "allow"});
}

TEST_CASE("a rule that asks or denies speaks of what starts a command, and none allows by it") {
  Facts all = facts("ls");
  all.carriers = {command("tmux new ls")};
  const auto decided = [&](std::vector<Rule> rules) {
    return rule_set(std::move(rules))->judge(all, {});
  };
  const Rule ls = of_program("ls", Decision::kAllow, "ls");
  CHECK(decided({ls}).decision == Decision::kAllow);
  CHECK(decided({ls, of_program("tmux", Decision::kAsk, "tmux")}).id == "tmux");
  CHECK(decided({ls, of_program("tmux", Decision::kDeny, "tmux")}).decision == Decision::kDeny);
  const Outcome other = decided({of_program("tmux", Decision::kAllow, "tmux")});
  CHECK(other.decision == std::nullopt);
  CHECK(other.unmatched == 0);
}

TEST_CASE("the strictest verdict over all commands decides and names its command") {
  const auto set =
      rule_set({of_program("git", Decision::kAllow, "git"), of_program("rm", Decision::kDeny, "rm"),
                of_program("ssh", Decision::kAsk, "ssh")});
  const Outcome outcome = set->judge(
      facts({command("git status"), command("ssh x"), command("rm x"), command("rm y")}), {});
  CHECK(outcome.decision == Decision::kDeny);
  CHECK(outcome.command == 2);
  CHECK(ids(outcome) == std::vector<std::string>{"rm", "ssh", "git"});
}

TEST_CASE("the first of equally strict rules decides") {
  const auto set =
      rule_set({of_program("a", Decision::kAsk, "a*"), of_program("b", Decision::kAsk, "ab")});
  const Outcome outcome = set->judge(facts({command("ab"), command("aa")}), {});
  CHECK(outcome.id == "a");
  CHECK(outcome.command == 0);
}

TEST_CASE("a line is allowed only when each command is") {
  const auto set = rule_set({of_program("git", Decision::kAllow, "git")});
  const Outcome both = set->judge(facts({command("git a"), command("git b")}), {});
  CHECK(both.decision == Decision::kAllow);
  CHECK(both.unmatched == -1);
  const Outcome one = set->judge(facts({command("git a"), command("make"), command("ls")}), {});
  CHECK_FALSE(one.decision);
  CHECK(one.rule == nullptr);
  CHECK(one.id.empty());
  CHECK(one.unmatched == 1);
  CHECK(ids(one) == std::vector<std::string>{"git"});
}

TEST_CASE("an empty line gets no message") {
  const auto set = rule_set({of_program("git", Decision::kAllow, "git")});
  CHECK_FALSE(set->judge(Facts(), {}).decision);
}

TEST_CASE("a doubt that no rule names leads to ask, even if all is allowed") {
  const auto set = rule_set({of_program("git", Decision::kAllow, "git")});
  Facts doubtful = facts("git $x");
  add_doubt(doubtful, Doubt::kUnknownProgram, 0, std::string(500, 'x') + "\x1b");
  const Outcome outcome = set->judge(doubtful, {});
  CHECK(outcome.decision == Decision::kAsk);
  CHECK(outcome.rule == nullptr);
  CHECK(outcome.id == "doubt.unknown_program");
  CHECK(outcome.command == 0);
  CHECK(outcome.doubt == 0);
  CHECK(outcome.floors == std::vector<int>{0});
  CHECK(outcome.reason == "Which program runs is only computed when it runs: \"" +
                              std::string(96, 'x') + "...\". Name the program itself.");
}

TEST_CASE("an ask or deny rule that names a doubt decides instead of the floor") {
  Rule details = on_doubt("variable", Decision::kDeny, Doubt::kInlineCode);
  details.doubt_details = patterns({"LD_*"});
  const auto set = rule_set({on_doubt("piped", Decision::kAsk, Doubt::kPipedCode), details});
  Facts doubtful = facts({command("sh"), command("ls")});
  add_doubt(doubtful, Doubt::kPipedCode, 0);
  Outcome outcome = set->judge(doubtful, {});
  CHECK(outcome.id == "piped");
  CHECK(outcome.doubt == 0);
  CHECK(outcome.floors.empty());

  add_doubt(doubtful, Doubt::kInlineCode, 1, "PAGER");
  outcome = set->judge(doubtful, {});
  CHECK(outcome.id == "piped");
  CHECK(outcome.floors == std::vector<int>{1});

  add_doubt(doubtful, Doubt::kInlineCode, 1, "LD_PRELOAD");
  outcome = set->judge(doubtful, {});
  CHECK(outcome.decision == Decision::kDeny);
  CHECK(outcome.id == "variable");
  CHECK(outcome.command == 1);
  CHECK(outcome.doubt == 2);
  CHECK(outcome.floors == std::vector<int>{1});
}

TEST_CASE("a rule about something else does not cover a doubt") {
  const auto set = rule_set({of_program("sh", Decision::kAsk, "sh")});
  Facts doubtful = facts("sh");
  add_doubt(doubtful, Doubt::kForkBomb, 0);
  const Outcome outcome = set->judge(doubtful, {});
  CHECK(outcome.id == "sh");
  CHECK(outcome.floors == std::vector<int>{0});
}

TEST_CASE("doubts of the line match only rules about doubts alone") {
  Rule with_program = on_doubt("program", Decision::kDeny, Doubt::kUnparsed);
  with_program.programs = patterns({"*"});
  Rule with_test = on_doubt("test", Decision::kDeny, Doubt::kUnparsed);
  with_test.test = 0;
  Facts broken = facts("git x");
  add_doubt(broken, Doubt::kUnparsed, -1, "if");
  CHECK(rule_set({with_program, with_test})->judge(broken, {}).id == "doubt.unparsed");
  const auto set = rule_set({with_program, on_doubt("line", Decision::kDeny, Doubt::kUnparsed)});
  const Outcome outcome = set->judge(broken, {});
  CHECK(outcome.id == "line");
  CHECK(outcome.command == -1);
  CHECK(outcome.doubt == 0);
  CHECK(ids(outcome) == std::vector<std::string>{"line"});
}

TEST_CASE("a long line leads to ask") {
  const auto set = rule_set({of_program("git", Decision::kAllow, "git")});
  Facts lengthy = facts("git x");
  add_doubt(lengthy, Doubt::kOverLimit, -1);
  CHECK(set->judge(lengthy, {}).id == "doubt.over_limit");
}

TEST_CASE("a line that cannot be judged is denied, even if a rule allows it") {
  const auto set = rule_set({on_doubt("mild", Decision::kAsk, Doubt::kUnjudged),
                             of_program("rm", Decision::kDeny, "rm")});
  Facts cut = facts("git x");
  add_doubt(cut, Doubt::kUnknownCode, 0);
  add_doubt(cut, Doubt::kUnjudged, -1);
  const Outcome outcome = set->judge(cut, {});
  CHECK(outcome.decision == Decision::kDeny);
  CHECK(outcome.id == "doubt.unjudged");
  CHECK(outcome.doubt == 1);
  cut.commands.push_back(command("rm x"));
  CHECK(set->judge(cut, {}).id == "rm");
}

TEST_CASE("doubts are found with their commands in whatever order they come") {
  const auto set = rule_set({of_program("a", Decision::kAllow, "a"), [] {
                               Rule made = on_doubt("b", Decision::kAsk, Doubt::kInlineCode);
                               made.programs = patterns({"b"});
                               return made;
                             }()});
  Facts mixed = facts({command("a"), command("b"), command("a"), command("b")});
  add_doubt(mixed, Doubt::kInlineCode, 3);
  add_doubt(mixed, Doubt::kInlineCode, 99);  // of no command
  add_doubt(mixed, Doubt::kInlineCode, 1);
  add_doubt(mixed, Doubt::kInlineCode, 0);
  const Outcome outcome = set->judge(mixed, {});
  CHECK(outcome.id == "b");
  CHECK(outcome.command == 1);
  CHECK(outcome.doubt == 2);
  CHECK(outcome.floors == std::vector<int>{1, 3});
}

TEST_CASE("a test function runs last, and gets the command") {
  Rule made = of_program("r", Decision::kAsk, "git");
  made.test = 3;
  made.flags = {{"-f"}};
  const auto set = rule_set({made});
  std::vector<int> asked;
  const TestFunction test = [&](const Rule& rule, const Facts& facts, int command) {
    CHECK(rule.test == 3);
    asked.push_back(command);
    return Result<gibbous::rules::TestAnswer>(
        facts.commands[static_cast<std::size_t>(command)].operands.size() == 1);
  };
  const Facts three =
      facts({command("git x"), command("git -f"), command("ls -f"), command("git -f x")});
  const Outcome outcome = set->judge(three, test);
  CHECK(asked == std::vector<int>{1, 3});
  CHECK(outcome.id == "r");
  CHECK(outcome.command == 3);
  CHECK(outcome.unmatched == 0);
}

TEST_CASE("a test that looked at an unknown word gives the stricter answer, and the advice") {
  for (const Decision decision : {Decision::kAllow, Decision::kAsk, Decision::kDeny}) {
    Rule made = of_program("r", decision, "git");
    made.test = 0;
    const auto set = rule_set({made});
    for (const bool said : {false, true}) {
      const TestFunction test = [said](const Rule&, const Facts&, int) {
        return Result<gibbous::rules::TestAnswer>(gibbous::rules::TestAnswer(said, "$x"));
      };
      std::vector<Step> steps;
      const Outcome outcome = set->judge(facts("git $x"), test, &steps);
      REQUIRE(steps.size() == 1);
      CHECK(steps[0].matched == (decision != Decision::kAllow));
      CHECK(steps[0].why == "program \"git\", its test says " + std::string(said ? "yes" : "no") +
                                " but looked at \"$x\", which is not known");
      if (decision == Decision::kAllow) {
        CHECK(outcome.unmatched == 0);
        continue;
      }
      CHECK(outcome.decision == decision);
      CHECK(outcome.reason ==
            "A reason. What \"$x\" becomes is not known before it runs: write it out.");
    }
  }
}

TEST_CASE("a test function that fails denies") {
  Rule made = of_program("r", Decision::kAllow, "git");
  made.test = 0;
  const auto set = rule_set({made});
  const TestFunction test = [](const Rule&, const Facts&, int) {
    return Result<gibbous::rules::TestAnswer>(
        Status::error("script_error", "rules.lua:9: attempt to index nil"));
  };
  std::vector<Step> steps;
  const Outcome outcome = set->judge(facts("git x"), test, &steps);
  CHECK(outcome.decision == Decision::kDeny);
  CHECK(outcome.id == kPolicyError);
  CHECK(outcome.rule == nullptr);
  CHECK(outcome.file == "rules.lua");
  CHECK(outcome.line == 7);
  CHECK(outcome.reason ==
        "The test function of rule r failed: rules.lua:9: attempt to index nil. Nothing that it "
        "judges runs until it is fixed.");
  REQUIRE(steps.size() == 1);
  CHECK_FALSE(steps[0].matched);
  CHECK(set->judge(facts("git x"), {}).id == kPolicyError);  // no function runs its test
  CHECK_FALSE(set->judge(facts("ls"), {}).decision);
}

TEST_CASE("steps are strictest first within a command, and bounded") {
  Rule any = rule("any", Decision::kDeny);
  any.operands = {pattern("x")};
  const auto set = rule_set({of_program("own", Decision::kAllow, "git"),
                             of_program("glob", Decision::kDeny, "g*"), std::move(any),
                             of_program("ask", Decision::kAsk, "git"),
                             of_program("other", Decision::kDeny, "rm")});
  std::vector<Step> steps;
  (void)set->judge(facts({command("git"), command("ls")}), {}, &steps);
  std::vector<std::string> told;
  for (const Step& step : steps) told.push_back(std::to_string(step.command) + step.rule->id);
  CHECK(told == std::vector<std::string>{"0glob", "0any", "0ask", "0own", "1any"});

  steps.clear();
  std::vector<SimpleCommand> many(kMaxMissedSteps + 100, command("ls"));
  many.push_back(command("git"));
  (void)set->judge(facts(std::move(many)), {}, &steps);
  CHECK(steps.size() == kMaxMissedSteps + 3);
  CHECK(steps.back().rule->id == "own");
}

TEST_CASE("the index of rules changes no result") {
  std::mt19937 random(7);
  const auto chance = [&](unsigned one_in) { return random() % one_in == 0; };
  const auto name = [&] { return std::string(1, static_cast<char>('a' + random() % 3)); };
  const auto some = [&] { return std::vector<Pattern>{pattern(chance(3) ? "*" : name())}; };
  for (int round = 0; round < 300; ++round) {
    std::vector<Rule> rules;
    for (int i = 0; i < 30; ++i) {
      Rule made = rule("r" + std::to_string(i), static_cast<Decision>(random() % 3));
      if (made.decision != Decision::kAllow && chance(3)) made.doubts = {Doubt::kInlineCode};
      if (chance(2)) made.programs = some();
      if (chance(4)) made.operands = some();
      if (chance(6)) made.fed_by = some();
      if (chance(6)) made.hosts = some();
      if (chance(6)) made.not_hosts = {pattern("z")};
      if (chance(6)) made.flags = {{"-" + name()}};
      if (chance(6)) made.without_flags = {"--x"};
      if (chance(4)) made.access = {static_cast<AccessKind>(random() % 3)};
      if (chance(4)) made.paths = 1U << (random() % 3);
      if (chance(6)) made.recursive = chance(2);
      if (chance(6)) made.redirection = chance(2);
      if (chance(6)) made.privileged = chance(2);
      if (chance(6)) made.remote = chance(2);
      if (made.programs.empty() && made.doubts.empty()) made.subcommands = patterns({"*"});
      rules.push_back(std::move(made));
    }
    const auto set = rule_set(std::move(rules));
    std::vector<SimpleCommand> commands;
    for (int i = 0; i < 6; ++i) {
      SimpleCommand made = command(name() + (chance(2) ? " -" + name() : "") + " " + name());
      if (chance(2)) {
        made.accesses.push_back(
            access(static_cast<AccessKind>(random() % 3), 1U << (random() % 3)));
        made.accesses.back().recursive = chance(2);
        made.accesses.back().redirection = chance(2);
      }
      if (chance(3)) made.wrappers = {name()};
      if (chance(3)) made.fed_by = {name()};
      if (chance(3)) made.hosts = {name()};
      if (chance(3)) made.assignments.push_back({name(), value("x"), true});
      made.privileged = chance(3);
      made.remote = chance(3);
      commands.push_back(std::move(made));
    }
    Facts made = facts(std::move(commands));
    if (chance(2)) add_doubt(made, Doubt::kInlineCode, static_cast<int>(random() % 7) - 1);
    std::vector<Step> steps;
    const Outcome plain = set->judge(made, {});
    const Outcome traced = set->judge(made, {}, &steps);
    REQUIRE(ids(plain) == ids(traced));
    REQUIRE(plain.decision == traced.decision);
    REQUIRE(plain.command == traced.command);
    REQUIRE(plain.unmatched == traced.unmatched);
    REQUIRE(plain.floors == traced.floors);
  }
}

TEST_CASE("sets whose judgements interleave do not affect each other") {
  const auto inner = rule_set({of_program("inner", Decision::kDeny, "git")});
  Rule made = of_program("outer", Decision::kAsk, "git");
  made.test = 0;
  const auto outer = rule_set({made});
  const TestFunction test = [&](const Rule&, const Facts& facts, int) {
    return Result<gibbous::rules::TestAnswer>(inner->judge(facts, {}).id == "inner");
  };
  CHECK(outer->judge(facts("git"), test).id == "outer");
}
