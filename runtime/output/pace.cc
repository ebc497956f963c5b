// Pace: counts wake-ups per millisecond of the loop's own clock, so that reading another is not
// necessary.
#include "runtime/output/pace.h"

#include <algorithm>

namespace gibbous {
namespace {

// The interval is right while a tick brings between these parts of the pipe's capacity.
constexpr std::size_t kLeastPart = 8;
constexpr std::size_t kMostPart = 2;

}  // namespace

void Pace::on_wakeup(std::size_t bytes, std::uint64_t now_ms) {
  if (now_ms != window_ms_) {
    window_ms_ = now_ms;
    wakeups_ = 0;
    bytes_ = 0;
  }
  ++wakeups_;
  bytes_ += bytes;
  if (wakeups_ < kManyWakeups || now_ms < not_before_ms_) return;
  usual_bytes_ = bytes_ / wakeups_;
  interval_ = kFirstTick;
  ticking_ = true;
}

void Pace::on_tick(std::size_t bytes, std::size_t pipe_bytes, bool held_up, std::uint64_t now_ms) {
  // If a wake-up would have brought as much, no tick is needed: nothing came, or one answer to each
  // question.
  if (bytes <= usual_bytes_) return stop_ticking(now_ms);
  if (held_up || bytes > pipe_bytes / kMostPart) {
    if (held_up && interval_ == kShortestTick) return stop_ticking(now_ms);
    interval_ = std::max(interval_ / 2, kShortestTick);
  } else if (bytes < pipe_bytes / kLeastPart) {
    if (interval_ == kLongestTick && bytes < usual_bytes_ * kFewWakeups)
      return stop_ticking(now_ms);
    interval_ = std::min(interval_ * 2, kLongestTick);
  }
  if (!held_up) hold_off_ms_ = kFirstHoldOffMs;
}

void Pace::stop_ticking(std::uint64_t now_ms) {
  ticking_ = false;
  wakeups_ = 0;
  bytes_ = 0;
  not_before_ms_ = now_ms + hold_off_ms_;
  hold_off_ms_ = std::min(hold_off_ms_ * 2, kLastHoldOffMs);
}

}  // namespace gibbous
