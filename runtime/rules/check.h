// What is wrong with rules before any command is judged. Called by RuleSet::create. Private to
// runtime/rules.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/rules/rules.h"

namespace gibbous::rules {

// "file:line: rule ID: message" a line.
class Faults {
 public:
  void add(const Rule& rule, std::string_view message);
  Status status(const char* code) const;

 private:
  std::string lines_;
};

Status check_rules(const std::vector<Rule>& rules, const command::Knowledge& knowledge);

}  // namespace gibbous::rules
