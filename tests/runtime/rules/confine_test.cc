// Whether a sandbox may hold what a line is asked about: Outcome::may_confine.
#include "tests/runtime/rules/by_hand.h"

namespace {

using namespace by_hand;  // NOLINT: of tests

Rule about(const char* id, Doubt doubt) {
  Rule made = rule(id, Decision::kAsk);
  made.doubts = {doubt};
  return made;
}

Facts doubtful(Doubt doubt, bool unheld) {
  Facts made = facts("x");
  made.doubts.push_back({doubt, 0, 0, "$x", unheld});
  return made;
}

}  // namespace

TEST_CASE("a doubt that no rule names may be confined if a sandbox holds such doubts") {
  const auto set = rule_set({of_program("other", Decision::kAsk, "other")});
  CHECK(set->judge(doubtful(Doubt::kUnknownCode, false), {}).may_confine);
  CHECK(set->judge(doubtful(Doubt::kEncoding, false), {}).may_confine);
  CHECK_FALSE(set->judge(doubtful(Doubt::kUnknownCode, true), {}).may_confine);
  for (const Doubt each : {Doubt::kUnansweredPath, Doubt::kForkBomb}) {
    CHECK_FALSE(set->judge(doubtful(each, false), {}).may_confine);
  }
  const Outcome unjudged = set->judge(doubtful(Doubt::kUnjudged, false), {});
  CHECK(unjudged.decision == Decision::kDeny);
  CHECK_FALSE(unjudged.may_confine);
}

TEST_CASE("a rule that asks or denies keeps a line from being confined") {
  const Doubt doubt = Doubt::kUnknownProgram;
  const auto judge = [&](const Rule& rule) {
    return rule_set({rule})->judge(doubtful(doubt, false), {}).may_confine;
  };
  CHECK(judge(of_program("b", Decision::kAllow, "x")));
  CHECK_FALSE(judge(of_program("b", Decision::kAsk, "x")));
  CHECK_FALSE(judge(of_program("b", Decision::kDeny, "x")));
  CHECK_FALSE(judge(about("a", doubt)));
}
