// The text that `gibbous policy` prints. Pure, any thread.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bindings/cli/terminal.h"
#include "bindings/json/json.h"
#include "gibbous/policy.h"

namespace gibbous::cli {

Colour colour_of_decision(const std::string& decision);
// `answer` of Policy::check: the decision, the rule and where it is written, the reason.
std::string verdict_text(const Json& answer, const Terminal& terminal);
// `answer` of Policy::explain: what was parsed, which rules were tried, which decided.
std::string explanation_text(const Json& answer, const Terminal& terminal);
// One of PolicyReport::notes, a line.
std::string note_text(const std::string& note, const Terminal& terminal);
std::string report_text(const PolicyReport& report, double threshold, const Terminal& terminal);
// Changes of the same kind that one rule makes, the most frequent first.
struct RuleChange {
  std::string rule;
  std::string before;
  std::string after;
  std::size_t count = 0;
  std::string example;  // the first command
};
std::vector<RuleChange> changes_by_rule(const std::vector<PolicyChange>& changes);
std::string changes_text(const std::vector<PolicyChange>& changes, std::size_t read,
                         const Terminal& terminal);

}  // namespace gibbous::cli
