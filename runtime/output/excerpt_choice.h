// Which units an excerpt shows: the last line, the first and the last error, some of both ends,
// what is around those errors, as many others as fit, and what the budget has left as more of both
// ends. Used by excerpt() alone.
#pragma once

#include <cstddef>
#include <vector>

#include "runtime/output/excerpt_lines.h"

namespace gibbous {

// For each unit whether it is shown. What it costs, with a note of `note_bytes` for each gap, is
// within budget_bytes, or nothing is shown.
std::vector<bool> choose_units(const std::vector<ExcerptUnit>& units, std::size_t budget_bytes,
                               std::size_t note_bytes, std::size_t context_lines);

}  // namespace gibbous
