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
std::string rule_of(const std::string& conditions, const std::string& example,
                    const std::string& id = "team.rule") {
  return "{ id = '" + id + "', decision = 'ask', reason = 'Ask the team.', " + conditions +
         ", match = { [[" + example + "]] } },\n";
}

// The conditions of a rule, its example, and the note that they get: all of it, how it begins, or a
// part.
struct Noted {
  enum class Known { kAll, kBegin, kPart };
  std::string conditions;
  std::string example;
  Known known = Known::kAll;
  std::string note;
};

// Notes about one policy with all of these rules, which takes as long as one with a single rule.
std::vector<std::string> notes_of(const std::vector<Noted>& rules) {
  std::string text;
  for (std::size_t at = 0; at < rules.size(); ++at)
    text += rule_of(rules[at].conditions, rules[at].example, "team.rule" + std::to_string(at));
  return Written(kLayer, text).test().notes;
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
  using Known = Noted::Known;
  const std::vector<Noted> rules = {
      {"program = 'git push'", "git push", Known::kAll,
       "program: \"push\" is a subcommand of git, not a program: subcommand = { 'push' }"},
      {"program = { 'docker', 're:/usr/bin/pod.*' }", "docker ps", Known::kPart,
       "about the name alone, which has no /"},
      {"program = 'docker while'", "docker ps", Known::kPart, "a word of the shell"},
      {"program = 'git make', subcommand = { 'push' }", "git push", Known::kBegin,
       "subcommand: no table says that \"make\" has \"push\""},
      {"program = 'rm', flags = { '-r', '-f -rf' }", "rm -r -f x", Known::kPart,
       "flags = { '-r', '-f' } sees all spellings"},
      {"program = 'cat', argument = { '~bob/*', '/etc/shadow' }", "cat /etc/shadow", Known::kPart,
       "rules see \"/home/bob/x\" where a person writes \"~bob/x\""},
      {"program = 'tool', argument = { '--to prod', 'x' }", "tool x", Known::kPart,
       "give each word a pattern of its own"},
      {"program = 'git', operand = { 'push', 'origin' }", "git push origin", Known::kPart,
       "\"push\" is a subcommand of git, and no operand"},
      {"program = 'tool', operand = { '-x', 'y' }", "tool y", Known::kPart,
       "is an option, and no operand"},
      {"program = 'curl', host = { 'https://a.com/*', 'b.com' }", "curl b.com", Known::kPart,
       "without scheme, port and path"},
      {"variable = { '$PATH', 'HOME' }", "HOME=/x make", Known::kPart, "without $ and ="},
      {"wrapper = { 'sudo', 'ls' }", "sudo ls", Known::kPart, "\"ls\" runs another command"},
      {"within = { 'substituton', 'sh' }", "sh -c ls", Known::kPart, "\"substitution\""},
      {"program = 'rm cat', access = 'remove'", "rm x", Known::kPart,
       "no table says that cat does this"},
      {"program = 'tool', option = { ['--in'] = { '~bob/*', 'x' } }", "tool --in x", Known::kPart,
       "rules see \"/home/bob/x\""},
  };
  const std::vector<std::string> notes = notes_of(rules);
  REQUIRE(notes.size() == rules.size());
  for (std::size_t at = 0; at < rules.size(); ++at) {
    const auto& [conditions, example, known, expected] = rules[at];
    const std::string id = "team.rule" + std::to_string(at) + ": ";
    INFO(conditions << ": " << notes[at]);
    REQUIRE(notes[at].find(id) != std::string::npos);
    const std::string note = notes[at].substr(notes[at].find(id) + id.size());
    if (known == Known::kAll) {
      CHECK(note == expected);
    } else if (known == Known::kBegin) {
      CHECK_THAT(note, StartsWith(expected));
    } else {
      CHECK_THAT(note, Contains(expected));
    }
  }
}

TEST_CASE("what an example shows is no matter for a note") {
  const std::vector<Noted> rules = {
      {"program = 'sudo'", "sudo -l"},
      {"program = 'git npm', subcommand = { 'push', 'publish' }", "git push"},
      {"program = 'rm', flags = { '-r', '-f' }", "rm -rf x"},
      {"program = 'tool', argument = { '~bob/*' }", "tool '~bob/x'"},
      {"program = 'kubectl', option = { ['--context'] = 'prod-*' }",
       "kubectl --context prod-1 get pods"},
      {"wrapper = { 'sudo', 'env' }", "sudo ls"},
      {"within = { 'substitution' }", "echo $(ls)"},
  };
  CHECK(notes_of(rules).empty());
}

TEST_CASE("an example that does not match names what no command can meet") {
  Written layer(kLayer, rule_of("variable = { '$PATH' }", "PATH=/x make"));
  const auto policy = layer.load(true);
  REQUIRE_FALSE(policy);
  CHECK_THAT(policy.status().message(), Contains("is not matched") && Contains("without $ and ="));
}

}  // namespace gibbous
