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

}  // namespace gibbous
