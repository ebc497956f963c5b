// Whether a sandbox may hold what a line is asked about: Outcome::may_confine.
#include "tests/runtime/rules/by_hand.h"

namespace {

using namespace by_hand;  // NOLINT: of tests

constexpr char kMode[] = "auto";

Rule about(const char* id, Doubt doubt, bool may_confine) {
  Rule made = rule(id, Decision::kAsk);
  made.doubts = {doubt};
  made.may_confine = may_confine;
  return made;
}

Facts doubtful(Doubt doubt, bool unheld) {
  Facts made = facts("x");
  made.doubts.push_back({doubt, 0, 0, {}, "$x", unheld});
  return made;
}

}  // namespace

TEST_CASE("a doubt may be confined where its rule says so, and nothing known speaks against it") {
  const Doubt doubt = Doubt::kUnknownProgram;
  const auto judge = [&](bool may_confine, bool unheld) {
    return rule_set({about("x", doubt, may_confine)})->judge(doubtful(doubt, unheld), kMode, {});
  };
  CHECK(judge(true, false).may_confine);
  CHECK(judge(true, false).decision == Decision::kAsk);
  CHECK_FALSE(judge(false, false).may_confine);
  CHECK_FALSE(judge(true, true).may_confine);
}

TEST_CASE("a doubt that no rule names may be confined if a sandbox holds such doubts") {
  const auto set = rule_set({of_program("other", Decision::kAsk, "other")});
  CHECK(set->judge(doubtful(Doubt::kUnknownCode, false), kMode, {}).may_confine);
  CHECK_FALSE(set->judge(doubtful(Doubt::kUnknownCode, true), kMode, {}).may_confine);
  for (const Doubt each : {Doubt::kEncoding, Doubt::kUnansweredPath, Doubt::kForkBomb}) {
    CHECK_FALSE(set->judge(doubtful(each, false), kMode, {}).may_confine);
  }
  const Outcome unjudged = set->judge(doubtful(Doubt::kUnjudged, false), kMode, {});
  CHECK(unjudged.decision == Decision::kDeny);
  CHECK_FALSE(unjudged.may_confine);
}

TEST_CASE("another rule that asks or denies keeps a line from being confined") {
  const Doubt doubt = Doubt::kUnknownProgram;
  const Rule confines = about("a", doubt, true);
  const auto judge = [&](Decision decision) {
    return rule_set({confines, of_program("b", decision, "x")})
        ->judge(doubtful(doubt, false), kMode, {});
  };
  CHECK(judge(Decision::kAllow).may_confine);
  CHECK_FALSE(judge(Decision::kAsk).may_confine);
  CHECK_FALSE(judge(Decision::kDeny).may_confine);
  CHECK_FALSE(rule_set({confines})->judge(facts("x"), kMode, {}).may_confine);
}

TEST_CASE("only a rule that asks may say that it may be confined") {
  Rule allow = of_program("x", Decision::kAllow, "x");
  allow.may_confine = true;
  const auto created =
      RuleSet::create({allow}, std::make_shared<const gibbous::command::Knowledge>());
  REQUIRE_FALSE(created);
  CHECK(created.status().message().find("may_confine is for rules that ask") != std::string::npos);
}
