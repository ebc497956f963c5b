#include "runtime/rules/packed.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/command/analyse.h"
#include "tests/support/catch.h"

namespace gibbous::rules {
namespace {

std::shared_ptr<const RuleSet> some() {
  Rule rule;
  rule.id = "test.all";
  rule.reason = "Ask.";
  rule.decision = Decision::kDeny;
  rule.file = "rules.lua";
  rule.line = 12;
  rule.programs = {*Pattern::compile("rm"), *Pattern::compile("re:x+")};
  rule.flags = {{"-r", "-R"}, {"-f"}};
  rule.options = {{{"--context"}, {*Pattern::compile("prod-*")}}};
  rule.max_operands = 0;
  rule.recursive = false;
  rule.test = 3;
  Rule general;
  general.id = "test.general";
  general.reason = "Ask.";
  general.arguments = {*Pattern::compile("--danger*")};
  Rule plain;
  plain.id = "test.plain";
  plain.reason = "Ask.";
  plain.decision = Decision::kDeny;
  plain.programs = {*Pattern::compile("mv"), *Pattern::compile("re:y+")};
  plain.flags = {{"-f"}};
  const auto knowledge = std::make_shared<command::Knowledge>();
  auto shared = std::make_shared<command::ProgramSpec>();
  shared->values = {"-C"};
  shared->runs.emplace_back();
  shared->runs.back().skip = 2;
  shared->subcommands["push"] = std::make_shared<command::ProgramSpec>();
  knowledge->programs = {{"git", shared}, {"hg", shared}};
  command::VariableSpec variable{"PAGER", true, std::make_shared<command::LazyRegex>("less|more")};
  knowledge->variables = {variable};
  knowledge->outputs["pwd"] = "$PWD";
  std::vector<Rule> rules = {rule, general, plain};
  for (Rule& each : rules) each.match.push_back({"x", {}, "", ""});
  const auto made = RuleSet::create(std::move(rules), knowledge);
  INFO(made.status().message());
  REQUIRE(made.ok());
  return *made;
}

std::string packed(const RuleSet& all) {
  std::string bytes;
  pack(all, &bytes);
  return bytes;
}

std::string decision_on(const RuleSet& rules, const std::string& line) {
  const command::Facts facts = command::analyse(line, command::Place{}, rules.knowledge());
  const auto holds = [](const Rule&, const command::Facts&, int) { return TestAnswer(true); };
  const Outcome outcome = rules.judge(facts, "default", holds);
  return outcome.id;
}

TEST_CASE("rules and knowledge come back as they were packed") {
  const std::string bytes = packed(*some());
  const auto back = unpack(bytes);
  REQUIRE(back);
  REQUIRE(back->size() == 3);
  const Rule& rule = back->rules()[0];
  CHECK(rule.id == "test.all");
  CHECK(rule.decision == Decision::kDeny);
  CHECK(rule.line == 12);
  CHECK(rule.flags == some()->rules()[0].flags);
  CHECK(rule.programs[1].matches(std::string_view("xxx")));
  CHECK_FALSE(rule.programs[1].matches(std::string_view("xxy")));
  CHECK(rule.max_operands == 0);
  CHECK(rule.recursive == false);
  CHECK_FALSE(rule.redirection.has_value());
  CHECK(rule.test == 3);
  CHECK(back->rules()[1].match.empty());
  const command::Knowledge& knowledge = back->knowledge();
  CHECK(knowledge.programs.at("git") == knowledge.programs.at("hg"));
  CHECK(knowledge.programs.at("git")->runs.at(0).skip == 2);
  CHECK(knowledge.programs.at("git")->subcommands.count("push") == 1);
  CHECK(knowledge.variables.at(0).safe->get() != nullptr);
  CHECK(packed(*back) == bytes);
}

TEST_CASE("rules that were packed judge as those that were written") {
  const auto written = some();
  const auto back = unpack(packed(*written));
  REQUIRE(back);
  for (const std::string line :
       {"mv -f a", "yyy -rf a", "mv a", "yyx -f", "git push --dangerous", "git push"}) {
    INFO(line);
    CHECK(decision_on(*back, line) == decision_on(*written, line));
  }
  CHECK(decision_on(*back, "mv -f a") == "test.plain");
  CHECK(decision_on(*back, "yyy -rf a") == "test.plain");
  CHECK(decision_on(*back, "git push --dangerous") == "test.general");
}

TEST_CASE("bytes that are cut off or go on are not unpacked") {
  const std::string bytes = packed(*some());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    CHECK(unpack(std::string_view(bytes).substr(0, size)) == nullptr);
  CHECK(unpack(bytes + "x") == nullptr);
}

TEST_CASE("sizes beyond the bytes are not believed") {
  CHECK(unpack("\xff\xff\xff\xff\xff\xff\xff\xff\x7f") == nullptr);
  CHECK(unpack(std::string(40, '\xff')) == nullptr);
  CHECK(unpack("\x7f\x01") == nullptr);
}

}  // namespace
}  // namespace gibbous::rules
