// What RuleSet::create refuses, and how it says so; names of facts and classes.
#include <functional>
#include <set>
#include <string>

#include "tests/runtime/rules/by_hand.h"

using namespace by_hand;  // NOLINT: the words of this test
using namespace gibbous::command;

namespace {

std::shared_ptr<Knowledge> with_git() {
  auto git = std::make_shared<ProgramSpec>();
  git->subcommands["push"] = std::make_shared<ProgramSpec>();
  git->subcommands["remote add"] = std::make_shared<ProgramSpec>();
  auto made = std::make_shared<Knowledge>();
  made->programs["git"] = git;
  made->patterns.emplace_back("python3*", std::make_shared<ProgramSpec>());
  made->classes = {{"system", {}, false}};
  return made;
}

std::string refusal(std::vector<Rule> rules) {
  const auto created = RuleSet::create(std::move(rules), with_git());
  if (created) return "";
  CHECK(created.status().code() == "invalid_policy");
  return created.status().message();
}

std::string refusal(Decision decision, const std::function<void(Rule&)>& change) {
  Rule made = of_program("r", decision, "git");
  change(made);
  return refusal({made});
}

}  // namespace

TEST_CASE("a valid rule is accepted") {
  CHECK(refusal(Decision::kDeny, [](Rule&) {}).empty());
  CHECK(refusal(Decision::kAllow, [](Rule& r) { r.reason.clear(); }).empty());
  CHECK(refusal({}).empty());
}

TEST_CASE("each fault of a rule is named") {
  struct Case {
    Decision decision;
    std::function<void(Rule&)> change;
    const char* message;
  };
  const Decision ask = Decision::kAsk;
  const Decision allow = Decision::kAllow;
  const Case cases[] = {
      {ask, [](Rule& r) { r.id = "doubt.x"; }, "its id is reserved"},
      {ask, [](Rule& r) { r.id = "policy_error"; }, "its id is reserved"},
      {ask, [](Rule& r) { r.programs.clear(); }, "has no condition"},
      {ask, [](Rule& r) { r.programs = patterns({""}); }, "program: \"\" is not a program"},
      {ask, [](Rule& r) { r.programs = patterns({"/bin/rm"}); }, "a base name has no /"},
      {ask, [](Rule& r) { r.test_knows = true; }, "unknown: needs test"},
      {ask, [](Rule& r) { r.flags = {{"force"}}; }, "flag \"force\": expected -x"},
      {ask, [](Rule& r) { r.without_flags = {"--"}; }, "flag \"--\": expected -x"},
      {ask, [](Rule& r) { r.flags = {{"-r -f"}}; }, "flag \"-r -f\": expected -x"},
      {ask, [](Rule& r) { r.flags = {{"--x=y"}}; }, "a value is a matter of `option`"},
      {ask,
       [](Rule& r) {
         r.options = {{{"context"}, patterns({"x"})}};
       },
       "flag \"context\": expected -x"},
      {ask, [](Rule& r) { r.doubt_details = patterns({"x"}); }, "detail: needs doubt"},
      {allow, [](Rule& r) { r.doubts = {Doubt::kUnparsed}; }, "no rule allows what is in doubt"},
      {ask, [](Rule& r) { r.leaves = true; }, "leaves and reads are for rules that allow"},
  };
  for (const Case& each : cases) {
    CAPTURE(each.message);
    const std::string message = refusal(each.decision, each.change);
    CHECK(message.find(each.message) != std::string::npos);
    CHECK(message.find("rules.lua:7: rule ") == 0);
    CHECK(message.find('\n') == std::string::npos);
  }
}

TEST_CASE("subcommands that a table names, or whose first words it names, are known") {
  for (const char* name : {"push", "remote", "remote add", "pu*", "*"}) {
    CAPTURE(name);
    CHECK(refusal(Decision::kAsk, [&](Rule& r) { r.subcommands = patterns({name}); }).empty());
  }
  CHECK(refusal(Decision::kAsk, [](Rule& r) {
          r.programs = patterns({"g*"});  // any such program
          r.subcommands = patterns({"other"});
        }).empty());
}

TEST_CASE("all faults are reported, one per line, with their places") {
  Rule first = of_program("a", Decision::kDeny, "x");
  first.flags = {{"x"}};
  Rule second = of_program("a", Decision::kDeny, "x");
  second.line = 9;
  Rule third = rule("b", Decision::kAsk);
  CHECK(refusal({first, second, third}) ==
        "rules.lua:7: rule a: flag \"x\": expected -x, --long or -long; a value is a matter of "
        "`option`\n"
        "rules.lua:9: rule a: its id is taken by the rule at rules.lua:7\n"
        "rules.lua:7: rule b: has no condition, so it would hold for every command");
}

TEST_CASE("a rule set without knowledge is refused") {
  CHECK_FALSE(RuleSet::create({}, nullptr));
}

TEST_CASE("programs are found by name, then by the first glob") {
  const auto knowledge = with_git();
  CHECK(knowledge->find("git") == knowledge->programs.at("git").get());
  CHECK(knowledge->find("python3.11") == knowledge->patterns[0].second.get());
  CHECK(knowledge->find("python") == nullptr);
  CHECK(knowledge->find("") == nullptr);
}

TEST_CASE("path classes have one bit each, built-in ones first") {
  auto knowledge = with_git();
  CHECK(knowledge->class_bit("workspace") == kInWorkspace);
  CHECK(knowledge->class_bit("workspace_root") == kWorkspaceRoot);
  CHECK(knowledge->class_bit("outside") == kOutside);
  CHECK(knowledge->class_bit("unknown") == kUnknownPath);
  CHECK(knowledge->class_bit("partly_known") == kPartlyKnown);
  CHECK(knowledge->class_bit("holds_workspace") == kHoldsWorkspace);
  CHECK(knowledge->class_bit("system") == 1U << kFirstOwnClass);
  CHECK(knowledge->class_bit("other") == 0);
  CHECK(knowledge->class_names(kOutside | 1U << kFirstOwnClass) ==
        std::vector<std::string>{"outside", "system"});
  for (int i = 0; i < 40; ++i) knowledge->classes.push_back({"c" + std::to_string(i), {}, false});
  CHECK(knowledge->class_bit("c24") == 1U << 31U);
  CHECK(knowledge->class_bit("c25") == 0);  // there are no more bits
}

TEST_CASE("the names of facts are unique") {
  std::set<std::string> names;
  for (int i = 0; i < kDoubts; ++i) names.insert(name_of(static_cast<Doubt>(i)));
  CHECK(names.size() == kDoubts);
  CHECK(names.count("") == 0);
  CHECK(std::string(name_of(Nesting::Kind::kHeredoc)) == "heredoc");
  CHECK(std::string(name_of(AccessKind::kEnter)) == "enter");
  CHECK(std::string(gibbous::rules::name_of(Decision::kDeny)) == "deny");
}
