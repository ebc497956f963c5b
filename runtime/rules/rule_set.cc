#include <algorithm>
#include <utility>

#include "runtime/rules/check.h"
#include "runtime/rules/match.h"
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

Result<std::shared_ptr<const RuleSet>> RuleSet::create(
    std::vector<Rule> rules, std::shared_ptr<const command::Knowledge> knowledge) {
  if (knowledge == nullptr) return Status::error("invalid_policy", "there is no knowledge");
  if (Status status = check_rules(rules); !status) return status;
  std::shared_ptr<RuleSet> set(new RuleSet);
  set->rules_ = std::move(rules);
  set->knowledge_ = std::move(knowledge);
  std::vector<const Rule*> ordered;
  for (const Rule& rule : set->rules_) ordered.push_back(&rule);
  std::sort(ordered.begin(), ordered.end(), stricter);
  for (const Rule* rule : ordered) {
    GeneralRule general{rule, {}};
    for (const Pattern& program : rule->programs) {
      if (!program.literal()) {
        general.programs.push_back(program);
        continue;
      }
      std::vector<const Rule*>& of_program = set->by_program_[program.text];
      // It may name a program twice.
      if (of_program.empty() || of_program.back() != rule) of_program.push_back(rule);
    }
    if (rule->programs.empty() || !general.programs.empty())
      set->general_.push_back(std::move(general));
  }
  return std::shared_ptr<const RuleSet>(std::move(set));
}

}  // namespace gibbous::rules
