// Compares segments with their sums, and puts notes where some are missing. Internal; the thread of
// the Database.
#pragma once

#include <string_view>

#include "gibbous/status.h"
#include "runtime/journal/database.h"
#include "runtime/journal/journal_repair.h"

namespace gibbous {

// The columns that is_whole_segment() reads, from column 0 on.
inline constexpr std::string_view kSegmentColumns = "id, created_at, items, data, sum_before, sum";

// Returns true when the row is as it was written, or of a version without sums.
bool is_whole_segment(const Statement& row);

// Fails with journal_corrupt, which names the first damaged or missing items of the first runs.
Status check_segments(Database& database);

// For a file that is made of what could be read of another: puts a note in the place of each hole
// in a run, names it in the report, and makes the sums follow one another again.
Status fill_holes(Database& made, RepairReport* report);

}  // namespace gibbous
