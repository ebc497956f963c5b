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
  CHECK(report.rules > 100);
  CHECK(report.own_rules == 2);
  CHECK(report.coverage == 0.5);
  CHECK(report.uncovered == std::vector<std::string>{team.place("team.docker", 8)});
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

TEST_CASE("an example that does not match is an error") {
  Written layer(kLayer, rule_of("program = 'make'", "PATH=/x ls"));
  const auto policy = layer.load(true);
  REQUIRE_FALSE(policy);
  CHECK_THAT(policy.status().message(), Contains("is not matched"));
}

}  // namespace gibbous
