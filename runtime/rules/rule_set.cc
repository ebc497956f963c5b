#include <utility>

#include "runtime/rules/check.h"
#include "runtime/rules/index.h"
#include "runtime/rules/rules.h"

namespace gibbous::rules {

const char* name_of(Decision decision) {
  switch (decision) {
    case Decision::kAllow:
      return "allow";
    case Decision::kAsk:
      return "ask";
    case Decision::kDeny:
      return "deny";
  }
  return "";
}

RuleSet::RuleSet() = default;
RuleSet::~RuleSet() = default;

Result<std::shared_ptr<const RuleSet>> RuleSet::create(
    std::vector<Rule> rules, std::shared_ptr<const command::Knowledge> knowledge) {
  if (knowledge == nullptr) return Status::error("invalid_policy", "there is no knowledge");
  if (Status status = check_rules(rules, *knowledge); !status) return status;
  std::shared_ptr<RuleSet> set(new RuleSet);
  set->rules_ = std::move(rules);
  set->knowledge_ = std::move(knowledge);
  set->index_ = std::make_unique<const Index>(set->rules_);
  return std::shared_ptr<const RuleSet>(std::move(set));
}

}  // namespace gibbous::rules
