// Judgement: what the rules say about the commands of one request. PolicyProgram::judge makes it;
// decide, approvals, the decision log and `policy explain` read it. Immutable.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/command/facts.h"
#include "runtime/rules/rules.h"

namespace gibbous::lua {

struct Judgement {
  command::Facts facts;
  rules::Outcome outcome;          // points into `rules`
  std::vector<rules::Step> steps;  // when traced; points into `rules`
  std::shared_ptr<const rules::RuleSet> rules;
  // For kStdin to a shell: everything typed into it, with this text, as the shell runs it; absent
  // when that is unknown.
  std::optional<std::string> typed;
};

// A judgement that another thread has made, as far as it could.
struct PreparedJudgement {
  std::shared_ptr<Judgement> judgement;
  bool is_judged = false;  // false: a rule asks a script, and the outcome is not known yet
};

}  // namespace gibbous::lua
