// Compares segments with their sums. Internal; the thread of the Database.
#pragma once

#include <string_view>

#include "gibbous/status.h"
#include "runtime/journal/database.h"

namespace gibbous {

// The columns that is_whole_segment() reads, from column 0 on.
inline constexpr std::string_view kSegmentColumns = "id, created_at, items, data, sum_before, sum";

// Returns true when the row is as it was written.
bool is_whole_segment(const Statement& row);

// Fails with journal_corrupt, which names the first damaged or missing items of the first runs.
Status check_segments(Database& database);

}  // namespace gibbous
