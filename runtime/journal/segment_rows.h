// The rows of segments: they are written with their sums, and compared with them. Internal; the
// thread of the Database.
#pragma once

#include <cstdint>
#include <string_view>

#include "gibbous/status.h"
#include "runtime/journal/database.h"
#include "runtime/journal/segment.h"

namespace gibbous {

// Adds segments to the end of runs.
class SegmentRows {
 public:
  // The last segment of a run: 0 and 0 when it has none.
  struct End {
    std::uint64_t seq = 0;
    std::int64_t sum = 0;
  };

  Status prepare(Database& database);
  Result<End> end_of(std::int64_t number);
  // Writes what the builder has, if anything, and clears it. `sum` is that of the segment before,
  // and then its own.
  Status write(std::int64_t number, SegmentBuilder& segment, std::int64_t* sum);

 private:
  Statement select_last_;
  Statement insert_;
};

// The columns that is_whole_segment() reads, from column 0 on.
inline constexpr std::string_view kSegmentColumns = "id, created_at, items, data, sum_before, sum";

// Returns true when the row is as it was written.
bool is_whole_segment(const Statement& row);

// Fails with journal_corrupt, which names the first damaged or missing items of the first runs.
Status check_segments(Database& database);

}  // namespace gibbous
