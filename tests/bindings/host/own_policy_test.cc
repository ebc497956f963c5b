// A team's own policy on top of the shipped one: rules about option values, tests of words that are
// not known, and what `policy test` says of a policy.
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "gibbous/policy.h"
#include "tests/support/catch.h"
#include "tests/support/loop.h"

namespace gibbous {
namespace {

using Lines = std::vector<const char*>;

// The shipped policy with rules of one's own.
class Team {
 public:
  explicit Team(const std::string& rules, const std::string& cases = "{}") {
    std::ofstream(directory_.path() + "/init.lua")
        << "local override, policy, modes = require 'override', require 'policy', require 'modes'\n"
           "return { modes = modes, decide = policy.decider(modes), knowledge = require "
           "'knowledge', cases = "
        << cases << ",\n rules = override.with(require 'rules', {\n"
        << rules << "\n}) }\n";
    PolicyOptions options;
    options.policies_dir = directory_.path();
    options.workspace = "/work";
    options.mode = "auto";
    options.tested = false;
    auto loaded = Policy::load(options);
    INFO(loaded.status().message());
    REQUIRE(loaded);
    policy_ = std::move(*loaded);
  }

  Policy& policy() { return *policy_; }
  Json check(const std::string& line) {
    return Json::parse(policy_->check(Json({{"command", line}}).dump()));
  }
  std::string rule(const std::string& line) { return check(line)["rule"]; }

 private:
  testing::TempDir directory_;
  std::unique_ptr<Policy> policy_;
};

}  // namespace

TEST_CASE("a rule about an option's value sees wrapped, expanded and computed ones") {
  Team team(R"(
    { id = 'team.prod', decision = 'deny', reason = 'Use a dev context.', program = 'kubectl helm',
      option = { ['--context --kube-context'] = 'prod-*' },
      match = { 'kubectl --context prod-1 get pods' } },)");
  for (const char* line : Lines{
           "kubectl --context=prod-1 get pods", "kubectl get pods --context prod-1",
           "env A=1 kubectl --context=prod-1 get pods", "sh -c 'kubectl --context prod-1 get pods'",
           "C=prod-1; kubectl --context $C get pods", "kubectl --context={dev,prod-1} get pods",
           "echo get pods | xargs kubectl --context=prod-1", "time kubectl get --cont=prod-1 pods",
           "kubectl --context $(cat context) get pods", "kubectl --context=\"$CONTEXT\" get pods",
           "for c in dev prod-1; do kubectl --context $c get pods; done",
           "helm --kube-context 'prod-'\"1\" list", "kubectl --con\"\"text=prod-1 get pods",
           "echo prod-1 | xargs kubectl get pods --context"}) {
    CAPTURE(line);
    CHECK(team.rule(line) == "team.prod");
  }
  for (const char* line :
       Lines{"kubectl --context=dev get pods", "kubectl get pod \"$POD\"", "kubectl get pods",
             "kubectl --context=dev-$N get pods", "C=dev; kubectl --context $C get pods",
             "kubectl --context dev exec pod -- tool --context=prod-1", "echo --context=prod-1",
             "git commit -m '--context=prod-1'", "kubectl --context=dev get pods -l app=prod-1"}) {
    CAPTURE(line);
    CHECK(team.rule(line) != "team.prod");
  }
}

TEST_CASE("a test cannot let a rule pass in silence because it looked at a word not known") {
  // Each looks for the word "drop", in its own way.
  const Lines tests{
      "return command.argv[2] == 'drop'",
      "for at = 2, #command.argv do if command.argv[at] == 'drop' then return true end end",
      "for _, word in ipairs(command.argv) do if word == 'drop' then return true end end",
      "return table.concat(command.argv, ' '):find(' drop') ~= nil",
      "return command.argv[command.operands[1] or -1] == 'drop'",
      "local argv = command.argv return (argv[2] or ''):find('^drop$') ~= nil",
  };
  for (const char* test : tests) {
    for (const char* decision : {"ask", "deny"}) {
      CAPTURE(test, decision);
      Team team(std::string("{ id = 'team.drop', decision = '") + decision +
                "', reason = 'Ask first.', program = 'dbtool', match = { 'dbtool drop' },\n"
                "not_match = { 'dbtool list' }, test = function(command)\n" +
                test + "\nend },");
      CHECK(team.rule("dbtool drop") == "team.drop");
      for (const char* line : Lines{"dbtool \"$VERB\"", "dbtool $(cat verb)", "dbtool dro\"$P\"",
                                    "dbtool dro?", "V=drop; dbtool $V"}) {
        CAPTURE(line);
        const Json said = team.check(line);
        CHECK(said["rule"] == "team.drop");
        CHECK(said["decision"] == decision);
      }
      CHECK(team.check("dbtool \"$VERB\"")["reason"] ==
            "Ask first. What \"$VERB\" becomes is not known before it runs: write it out.");
      for (const char* line : Lines{"dbtool list", "V=list; dbtool $V", "echo \"$VERB\"",
                                    "cat $FILE", "git commit -m \"$MSG\""}) {
        CAPTURE(line);
        CHECK(team.rule(line) != "team.drop");
      }
    }
  }
}

TEST_CASE("only the unknown words that a test looked at count, unless it asks what is known") {
  Team team(R"(
    { id = 'team.drop', decision = 'deny', reason = 'Ask first.', program = 'dbtool',
      test = function(command) return command.argv[2] == 'drop' end, match = { 'dbtool drop' } },
    { id = 'team.known', decision = 'deny', reason = 'Ask first.', program = 'asks',
      test = function(command)
        for at = 2, #command.argv do
          if command.literal[at] and command.argv[at] == 'drop' then return true end
        end
      end, match = { 'asks drop' } },
    { id = 'team.sure', decision = 'deny', reason = 'Ask first.', program = 'sure',
      test = function(command) return command.argv[2] == 'drop' end, unknown = 'tested',
      match = { 'sure drop' } },
    { id = 'team.set', decision = 'ask', reason = 'Ask first.', program = 'settool',
      test = function(command)
        for _, set in ipairs(command.assignments) do
          if set.name == 'LEVEL' and set.value == 'all' then return true end
        end
      end, match = { 'LEVEL=all settool' } },
    { id = 'team.list', decision = 'allow', program = 'listtool',
      test = function(command) return command.argv[2] ~= 'drop' end, match = { 'listtool x' } },)");
  CHECK(team.rule("dbtool list \"$TABLE\"") != "team.drop");
  CHECK(team.rule("dbtool \"$VERB\" t") == "team.drop");
  CHECK(team.rule("asks \"$VERB\"") != "team.known");
  CHECK(team.rule("asks \"$VERB\" drop") == "team.known");
  CHECK(team.rule("sure \"$VERB\"") != "team.sure");
  CHECK(team.rule("LEVEL=\"$L\" settool") == "team.set");
  CHECK(team.rule("OTHER=\"$L\" settool") != "team.set");
  // An allow rule does not allow what it could not see.
  CHECK(team.rule("listtool x") == "team.list");
  CHECK(team.rule("listtool \"$VERB\"") != "team.list");
  CHECK(team.rule("listtool x \"$TABLE\"") == "team.list");
}

}  // namespace gibbous
