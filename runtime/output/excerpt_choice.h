// Chooses the units that an excerpt shows: the last line, the first and the last error, some of
// both ends, the context of those errors, as many other errors as fit, and more of both ends for
// the rest of the budget. Only excerpt() uses it.
#pragma once

#include <cstddef>
#include <vector>

#include "runtime/output/excerpt_lines.h"

namespace gibbous {

// Returns for each unit whether it is shown. Their cost, with a note of `note_bytes` for each gap,
// is within budget_bytes, or nothing is shown.
std::vector<bool> choose_units(const std::vector<ExcerptUnit>& units, std::size_t budget_bytes,
                               std::size_t note_bytes, std::size_t context_lines);

}  // namespace gibbous
