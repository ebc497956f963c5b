// What `gibbous policy` prints for people. Pure, any thread.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bindings/cli/terminal.h"
#include "bindings/json/json.h"
#include "gibbous/policy.h"

namespace gibbous::cli {

// Of the answer of Policy::check: the decision, the rule with its place, the reason.
std::string verdict_text(const Json& answer, const Terminal& terminal);
// Of the answer of Policy::explain: what was parsed, which rules looked, which decided.
std::string explanation_text(const Json& answer, const Terminal& terminal);
std::string report_text(const PolicyReport& report, double threshold, const Terminal& terminal);
std::string changes_text(const std::vector<PolicyChange>& changes, std::size_t read,
                         const Terminal& terminal);

}  // namespace gibbous::cli
