// Finds the faults of rules before any command is judged. RuleSet::create calls it. Private to
// runtime/rules.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/rules/rules.h"

namespace gibbous::rules {

// Collects lines of the form "file:line: rule ID: message".
class Faults {
 public:
  void add(const Rule& rule, std::string_view message);
  Status status(const char* code) const;

 private:
  std::string lines_;
};

Status check_rules(const std::vector<Rule>& rules);

}  // namespace gibbous::rules
