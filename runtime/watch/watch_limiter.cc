#include "runtime/watch/watch_limiter.h"

#include <algorithm>
#include <utility>

namespace gibbous {

WatchLimiter::WatchLimiter(std::size_t watchers, WatchRates rates, TokenBucket* all_runs)
    : watchers_(watchers, TokenBucket(rates.watcher)),
      run_(rates.run),
      all_runs_(all_runs),
      counts_(watchers, 0) {}

bool WatchLimiter::has_room(std::size_t watcher, Nanos now) const {
  return watchers_[watcher].has(now) && run_.has(now) &&
         (all_runs_ == nullptr || all_runs_->has(now));
}

bool WatchLimiter::admit(std::size_t watcher, bool once, Nanos now) {
  if (!once && !has_room(watcher, now)) {
    if (count_++ == 0) since_ = now;
    ++counts_[watcher];
    until_ = now;
    return false;
  }
  watchers_[watcher].take(now);
  run_.take(now);
  if (all_runs_ != nullptr) all_runs_->take(now);
  return true;
}

std::optional<Nanos> WatchLimiter::next_summary_at() const {
  if (count_ == 0) return std::nullopt;
  return until_ + kFloodQuiet;
}

std::optional<SuppressedSummary> WatchLimiter::summary(Nanos now) {
  const auto due = next_summary_at();
  return due && now >= *due ? finish() : std::nullopt;
}

std::optional<SuppressedSummary> WatchLimiter::finish() {
  if (count_ == 0) return std::nullopt;
  SuppressedSummary summary{std::exchange(count_, 0), {}, since_, until_};
  for (std::size_t watcher = 0; watcher < counts_.size(); ++watcher) {
    const std::uint64_t count = std::exchange(counts_[watcher], 0);
    if (count > 0) summary.watchers.push_back({watcher, count});
  }
  return summary;
}

}  // namespace gibbous
