// Judgement: what was found out about the commands of one effect. Made by Generation::judge, read
// by decide, approvals, the decision log and `policy explain`. Immutable.
#pragma once

#include <memory>
#include <vector>

#include "runtime/command/facts.h"
#include "runtime/rules/rules.h"

namespace gibbous::lua {

class Generation;

struct Judgement {
  command::Facts facts;
  rules::Outcome outcome;          // points into the generation's rules
  std::vector<rules::Step> steps;  // when traced
  std::shared_ptr<const Generation> generation;
};

}  // namespace gibbous::lua
