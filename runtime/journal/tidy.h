// Tidy applies retention in bounded steps, each a transaction. It removes runs that ended long ago
// and, when the file is too large, those that ended first. It ends runs that waited too long in the
// queue, and removes old decisions, calls and messages; then it returns free pages to
// the disk. Runs in progress stay, whatever their size. Writer thread only.
#pragma once

#include <cstdint>

#include "gibbous/status.h"
#include "runtime/journal/database.h"
#include "runtime/journal/ended_rows.h"

namespace gibbous {

// The limit of one step: a few milliseconds.
inline constexpr int kTidySegments = 512;
inline constexpr int kTidyRows = 512;
inline constexpr int kTidyPages = 512;

struct TidyLimits {
  std::int64_t max_age_ms = 0;       // 0: no limit
  std::int64_t max_total_bytes = 0;  // 0: no limit
  std::int64_t queue_ttl_ms = 0;     // 0: no limit
};

// Returns true when there is more to do. `now` is in Unix milliseconds.
Result<bool> tidy_step(Database& database, EndedRows& ended, const TidyLimits& limits,
                       std::int64_t now);

}  // namespace gibbous
