// WatchLimiter: decides which matches of a run become events, and summarises the others. There is a
// bucket for each watcher, one for the run and, if the host has one, one for all runs; a match must
// pass all of them. When the flood is over, one summary counts the suppressed matches: after
// kFloodQuiet without one, or at the end of the run. It has no timers: the owner asks at
// next_summary_at(). One thread.
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
  std::vector<SuppressedWatcher> watchers;  // those with suppressed matches, by index
  Nanos since{0};
  Nanos until{0};
};

class WatchLimiter {
 public:
  // `all_runs` may be null and must outlive this.
  WatchLimiter(std::size_t watchers, WatchRates rates, TokenBucket* all_runs = nullptr);

  // Returns true if this match becomes an event. The single match of a `once` watcher always does.
  bool admit(std::size_t watcher, bool once, Nanos now);

  // Returns the earliest time of the next summary, or nothing if no match was suppressed.
  std::optional<Nanos> next_summary_at() const;
  // Returns the summary if it is due, and resets the counts.
  std::optional<SuppressedSummary> summary(Nanos now);
  // The same at the end of the run, due or not.
  std::optional<SuppressedSummary> finish();

 private:
  bool has_room(std::size_t watcher, Nanos now) const;

  std::vector<TokenBucket> watchers_;
  TokenBucket run_;
  TokenBucket* all_runs_;
  std::vector<std::uint64_t> counts_;  // suppressed, by watcher
  std::uint64_t count_ = 0;            // of all
  Nanos since_{0};
  Nanos until_{0};
};

}  // namespace gibbous
