// Gives the verdict on a doubt that no rule names. Private to runtime/rules.
#pragma once

#include <string>
#include <string_view>

#include "runtime/command/facts.h"

namespace gibbous::rules {

inline constexpr std::string_view kFloorPrefix = "doubt.";

// Returns a sentence for a person: what is in doubt, and what to write instead.
std::string floor_reason(const command::DoubtFact& doubt);

// Returns true for doubts about programs and code, whose harm is bounded by what the sandbox lets
// them reach; false for those because of which rules may have misjudged what they know.
bool is_held_by_sandbox(command::Doubt doubt);

}  // namespace gibbous::rules
