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

std::span<const Rule> RuleSet::rules() const {
  return rules_->all();
}

std::size_t RuleSet::size() const {
  return rules_->size();
}

Result<std::shared_ptr<const RuleSet>> RuleSet::create(
    std::vector<Rule> rules, std::shared_ptr<const command::Knowledge> knowledge) {
  if (knowledge == nullptr) return Status::error("invalid_policy", "there is no knowledge");
  if (Status status = check_rules(rules, *knowledge); !status) return status;
  auto store = std::make_unique<const RuleStore>(std::move(rules));
  auto index = std::make_unique<const Index>(store->all());
  return known(std::move(store), std::move(index), std::move(knowledge));
}

std::shared_ptr<const RuleSet> RuleSet::known(std::unique_ptr<const RuleStore> rules,
                                              std::unique_ptr<const Index> index,
                                              std::shared_ptr<const command::Knowledge> knowledge) {
  std::shared_ptr<RuleSet> set(new RuleSet);
  set->rules_ = std::move(rules);
  set->knowledge_ = std::move(knowledge);
  set->index_ = std::move(index);
  return set;
}

}  // namespace gibbous::rules
