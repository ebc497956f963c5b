// What the analyser says of a line, compared with the marks that a real shell made. Any thread.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "runtime/command/analyse.h"

namespace gibbous::command::testing {

enum class Verdict { kFound, kDoubted, kMissed };

// kFound: every mark is a command of the facts. kDoubted: some are not, yet there is a doubt.
Verdict compare(const Facts& facts, const std::vector<std::string>& marks);

// Facts of a line as the differential test asks for them.
// `shell`: one of kShells.
Facts facts_of(const std::string& line, const Knowledge& knowledge,
               const std::string& shell = "bash");

// For people: the commands and doubts.
std::string described(const Facts& facts);

}  // namespace gibbous::command::testing
