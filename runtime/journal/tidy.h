// Tidy: retention, one bounded step at a time, each a transaction: runs that ended long ago, runs
// that ended first when the file is too large, old decisions, messages and approvals; then free
// pages go back to the disk. Runs that have not ended stay, whatever they take. Writer thread only.
#pragma once

#include <cstdint>

#include "gibbous/status.h"
#include "runtime/journal/database.h"

namespace gibbous {

// Of one step: some milliseconds.
inline constexpr int kTidySegments = 512;
inline constexpr int kTidyRows = 512;
inline constexpr int kTidyPages = 512;

struct TidyLimits {
  std::int64_t max_age_ms = 0;       // 0: no limit
  std::int64_t max_total_bytes = 0;  // 0: no limit
};

// True when there is more to do. `now` in Unix milliseconds.
Result<bool> tidy_step(Database& database, const TidyLimits& limits, std::int64_t now);

}  // namespace gibbous
