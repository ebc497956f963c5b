// WatchLimiter: which matches of a run become events, and what is said about the others. A bucket
// for each watcher, one for the run and, when the host has one, one for all runs; a match must be
// in all of them. What is left out is counted, and one summary tells of it when the flood is over:
// when nothing was left out for kFloodQuiet, or when the run ends. No timers: the owner asks when
// next_summary_at() has come. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/base/clock.h"
#include "runtime/watch/token_bucket.h"

namespace gibbous {

inline constexpr Nanos kFloodQuiet = std::chrono::seconds(1);

struct WatchRates {
  WatchRate watcher{20, std::chrono::milliseconds(500)};
  WatchRate run{60, std::chrono::milliseconds(100)};
};

struct SuppressedWatcher {
  std::size_t watcher = 0;
  std::uint64_t count = 0;
};

// "N suppressed".
struct SuppressedSummary {
  std::uint64_t count = 0;
  std::vector<SuppressedWatcher> watchers;  // those that had any, by index
  Nanos since{0};
  Nanos until{0};
};

class WatchLimiter {
 public:
  // `all_runs` may be null and must outlive this.
  WatchLimiter(std::size_t watchers, WatchRates rates, TokenBucket* all_runs = nullptr);

  // Whether this match becomes an event. A watcher for `once` has one match only, which is never
  // left out.
  bool admit(std::size_t watcher, bool once, Nanos now);

  // When a summary is due at the earliest; none when nothing was left out.
  std::optional<Nanos> next_summary_at() const;
  // The summary when it is due; the counts begin again.
  std::optional<SuppressedSummary> summary(Nanos now);
  // The same, due or not: the run has ended.
  std::optional<SuppressedSummary> finish();

 private:
  bool has_room(std::size_t watcher, Nanos now) const;

  std::vector<TokenBucket> watchers_;
  TokenBucket run_;
  TokenBucket* all_runs_;
  std::vector<std::uint64_t> counts_;  // left out, by watcher
  std::uint64_t count_ = 0;            // of all
  Nanos since_{0};
  Nanos until_{0};
};

}  // namespace gibbous
