// Pace: when one reader reads. A stream is served when it wakes the loop, until it does so very
// often. Then a tick serves it, often enough that its pipe does not fill, at most once a
// millisecond, until ticks bring too little to be worth their delay. Arithmetic only; the caller
// supplies the time. Loop thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace gibbous {

// This many wake-ups within one millisecond are too many.
inline constexpr std::size_t kManyWakeups = 16;
// A tick after the longest interval is not worth it if it brings less than this many wake-ups would
// have.
inline constexpr std::size_t kFewWakeups = 4;
inline constexpr std::chrono::microseconds kShortestTick{100};
inline constexpr std::chrono::microseconds kFirstTick{250};
inline constexpr std::chrono::microseconds kLongestTick{1000};
// After ticks that were not worth it, the reader does not tick for a while, twice as long each
// time.
inline constexpr std::uint64_t kFirstHoldOffMs = 4;
inline constexpr std::uint64_t kLastHoldOffMs = 1000;

class Pace {
 public:
  bool ticking() const { return ticking_; }
  std::chrono::microseconds interval() const { return interval_; }
  // Records a read on wake-up.
  void on_wakeup(std::size_t bytes, std::uint64_t now_ms);
  // Records a read on a tick; `pipe_bytes` is the capacity of the pipe. `held_up`: there was more
  // than the reader could take, so the writer had to wait.
  void on_tick(std::size_t bytes, std::size_t pipe_bytes, bool held_up, std::uint64_t now_ms);

 private:
  void stop_ticking(std::uint64_t now_ms);

  bool ticking_ = false;
  std::chrono::microseconds interval_ = kFirstTick;
  std::uint64_t window_ms_ = 0;  // the current millisecond
  std::size_t wakeups_ = 0;      // in it
  std::size_t bytes_ = 0;        // in it
  std::size_t usual_bytes_ = 0;  // of one wake-up, before ticking
  std::uint64_t hold_off_ms_ = kFirstHoldOffMs;
  std::uint64_t not_before_ms_ = 0;
};

}  // namespace gibbous
