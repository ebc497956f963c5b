// What `policy test` says of a policy of one's own: which rules its cases reach, which never
// decide, and which parts of a rule no command can meet.
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "gibbous/policy.h"
#include "tests/support/catch.h"
#include "tests/support/loop.h"

namespace gibbous {
namespace {

constexpr char kTeam[] =
    "local override, policy, modes = require 'override', require 'policy', require 'modes'\n"
    "return { modes = modes, decide = policy.decider(modes), knowledge = require 'knowledge',\n"
    "cases = CASES,\nrules = override.with(require 'rules', {\nRULES\n}) }\n";
constexpr char kLayer[] = "return { cases = CASES,\nrules = {\nRULES\n} }\n";

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  text.replace(text.find(what), what.size(), with);
  return text;
}

class Written {
 public:
  Written(const std::string& shape, const std::string& rules, const std::string& cases = "{}") {
    std::ofstream(directory_.path() + "/init.lua")
        << replaced(replaced(shape, "CASES", cases), "RULES", rules);
  }

  Result<std::unique_ptr<Policy>> load(bool tested = false) {
    PolicyOptions options;
    options.policies_dir = directory_.path();
    options.workspace = "/work";
    options.mode = "auto";
    options.tested = tested;
    return Policy::load(options);
  }
  PolicyReport test() {
    auto policy = load();
    INFO(policy.status().message());
    REQUIRE(policy);
    return (*policy)->test();
  }
  std::string place(const std::string& rule, int line) const {
    return directory_.path() + "/init.lua:" + std::to_string(line) + ": " + rule;
  }

 private:
  testing::TempDir directory_;
};

// A rule that asks, with these conditions and one example.
std::string rule_of(const std::string& conditions, const std::string& example) {
  return "{ id = 'team.rule', decision = 'ask', reason = 'Ask the team.', " + conditions +
         ", match = { [[" + example + "]] } },";
}

std::vector<std::string> notes_of(const std::string& conditions, const std::string& example) {
  return Written(kLayer, rule_of(conditions, example)).test().notes;
}

std::string note_of(const std::string& conditions, const std::string& example) {
  const std::vector<std::string> notes = notes_of(conditions, example);
  INFO(conditions);
  REQUIRE(notes.size() == 1);
  const std::string id = "team.rule: ";
  return notes.front().substr(notes.front().find(id) + id.size());
}

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

}  // namespace

TEST_CASE("coverage counts one's own rules, not those that ship") {
  Written team(kTeam, R"(
    { id = 'team.deploy', decision = 'ask', reason = 'Ask the team.', program = 'deploy.sh',
      match = { './deploy.sh' } },
    { id = 'team.docker', decision = 'deny', reason = 'Use podman.', program = 'docker',
      match = { 'docker ps' } },)",
               "{ { name = 'ours', mode = 'auto', ask = { './deploy.sh now' } } }");
  const PolicyReport report = team.test();
  CHECK(report.ok);
  CHECK(report.rules > 300);
  CHECK(report.own_rules == 2);
  CHECK(report.coverage == 0.5);
  CHECK(report.uncovered == std::vector<std::string>{team.place("team.docker", 8)});
  CHECK(report.losers.empty());
  CHECK(report.notes.empty());
}

TEST_CASE("a rule that never decides is named with the rule that does") {
  Written team(kTeam, R"(
    { id = 'team.docker', decision = 'deny', reason = 'Use podman.', program = 'docker',
      match = { 'docker ps' } },
    { id = 'team.push', decision = 'deny', reason = 'Push by hand.', program = 'docker',
      subcommand = { 'push' }, match = { 'docker push x' } },)",
               "{ { name = 'ours', mode = 'auto', deny = { 'docker push y', 'docker ps' } } }");
  const PolicyReport report = team.test();
  CHECK(report.ok);
  CHECK(report.coverage == 1);
  REQUIRE(report.losers.size() == 1);
  CHECK(report.losers[0].rule == team.place("team.push", 8));
  CHECK(report.losers[0].winner == team.place("team.docker", 6));
  CHECK(report.losers[0].command == "docker push y");
  CHECK(report.losers[0].times == 2);
}

TEST_CASE("the rules of a layer are tested without a policy around them") {
  Written layer(kLayer, R"(
    { id = 'org.docker', decision = 'deny', reason = 'Use podman.', program = 'docker',
      match = { 'docker ps' } },)",
                "{ { name = 'org', mode = 'auto', deny = { 'docker run x' },\n"
                "    allow = { 'docker ps', 'ls' } } }");
  const PolicyReport report = layer.test();
  CHECK(report.own_rules == 1);
  CHECK(report.rules == 1);
  CHECK(report.coverage == 1);
  REQUIRE(report.failures.size() == 1);
  CHECK_THAT(report.failures[0], Contains("expects allow") && Contains("docker ps"));
  CHECK_FALSE(layer.load(true));
}

TEST_CASE("a layer with a rule that allows is refused by policy test, too") {
  Written layer(kLayer, R"(
    { id = 'org.ls', decision = 'allow', program = 'ls', match = { 'ls' } },)");
  const auto policy = layer.load();
  REQUIRE_FALSE(policy);
  CHECK_THAT(policy.status().message(), Contains("rules that a layer adds ask or deny"));
}

TEST_CASE("a note says what in a rule no command can meet, and what to write instead") {
  CHECK(
      note_of("program = 'docker sudo'", "docker ps") ==
      "program: sudo runs another command, and rules judge that one: wrapper = { 'sudo' } is about "
      "what it runs");
  CHECK(note_of("program = 'git push'", "git push") ==
        "program: \"push\" is a subcommand of git, not a program: subcommand = { 'push' }");
  CHECK_THAT(note_of("program = { 'docker', 're:/usr/bin/pod.*' }", "docker ps"),
             Contains("about the name alone, which has no /"));
  CHECK_THAT(note_of("program = 'docker while'", "docker ps"), Contains("a word of the shell"));
  CHECK_THAT(note_of("program = 'git make', subcommand = { 'push' }", "git push"),
             StartsWith("subcommand: no table says that \"make\" has \"push\""));
  CHECK_THAT(note_of("program = 'rm', flags = { '-r', '-f -rf' }", "rm -r -f x"),
             Contains("flags = { '-r', '-f' } sees all spellings"));
  CHECK_THAT(note_of("program = 'cat', argument = { '~bob/*', '/etc/shadow' }", "cat /etc/shadow"),
             Contains("rules see \"/home/bob/x\" where a person writes \"~bob/x\""));
  CHECK_THAT(note_of("program = 'tool', argument = { '--to prod', 'x' }", "tool x"),
             Contains("give each word a pattern of its own"));
  CHECK_THAT(note_of("program = 'git', operand = { 'push', 'origin' }", "git push origin"),
             Contains("\"push\" is a subcommand of git, and no operand"));
  CHECK_THAT(note_of("program = 'tool', operand = { '-x', 'y' }", "tool y"),
             Contains("is an option, and no operand"));
  CHECK_THAT(note_of("program = 'curl', host = { 'https://a.com/*', 'b.com' }", "curl b.com"),
             Contains("without scheme, port and path"));
  CHECK_THAT(note_of("variable = { '$PATH', 'HOME' }", "HOME=/x make"),
             Contains("without $ and ="));
  CHECK_THAT(note_of("wrapper = { 'sudo', 'ls' }", "sudo ls"),
             Contains("\"ls\" runs another command"));
  CHECK_THAT(note_of("within = { 'substituton', 'sh' }", "sh -c ls"), Contains("\"substitution\""));
  CHECK_THAT(note_of("program = 'rm cat', access = 'remove'", "rm x"),
             Contains("no table says that cat does this"));
  CHECK_THAT(note_of("program = 'tool', option = { ['--in'] = { '~bob/*', 'x' } }", "tool --in x"),
             Contains("rules see \"/home/bob/x\""));
}

TEST_CASE("what an example shows is no matter for a note") {
  CHECK(notes_of("program = 'sudo'", "sudo -l").empty());
  CHECK(notes_of("program = 'git npm', subcommand = { 'push', 'publish' }", "git push").empty());
  CHECK(notes_of("program = 'rm', flags = { '-r', '-f' }", "rm -rf x").empty());
  CHECK(notes_of("program = 'tool', argument = { '~bob/*' }", "tool '~bob/x'").empty());
  CHECK(notes_of("program = 'kubectl', option = { ['--context'] = 'prod-*' }",
                 "kubectl --context prod-1 get pods")
            .empty());
  CHECK(notes_of("wrapper = { 'sudo', 'env' }", "sudo ls").empty());
  CHECK(notes_of("within = { 'substitution' }", "echo $(ls)").empty());
}

TEST_CASE("an example that does not match names what no command can meet") {
  Written layer(kLayer, rule_of("program = 'sudo'", "sudo rm x"));
  const auto policy = layer.load(true);
  REQUIRE_FALSE(policy);
  CHECK_THAT(policy.status().message(),
             Contains("is not matched") && Contains("wrapper = { 'sudo' } is about what it runs"));
}

}  // namespace gibbous
