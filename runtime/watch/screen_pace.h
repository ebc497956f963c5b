// ScreenPace: when to look at a screen that a program is writing to: when its output pauses,
// because it may be half drawn before that, and now and then while the output goes on. Bounds the
// cost of looking, in a flood and with any watchers. Pure, no clock of its own; one thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "runtime/base/clock.h"

namespace gibbous {

// A program pauses for less than this while it draws a screen.
inline constexpr Nanos kScreenQuiet = std::chrono::milliseconds(30);
inline constexpr Nanos kScreenLookInterval = std::chrono::milliseconds(200);
// The next look also waits this many times as long as the last one took.
inline constexpr int kScreenRest = 9;

enum class ScreenLook : std::uint8_t {
  kSettled,     // the output has paused or ended
  kInTheMiddle  // it goes on: rows may be half drawn
};

class ScreenPace {
 public:
  void wrote(Nanos now) {
    quiet_at_ = now + kScreenQuiet;
    if (!due_at_) due_at_ = now + kScreenLookInterval;
  }

  // When to call take() again; none: nothing was written since the last settled look.
  std::optional<Nanos> next() const {
    if (!due_at_) return std::nullopt;
    return std::max(rested_at_, std::min(quiet_at_, *due_at_));
  }

  // Returns the look that is due now.
  std::optional<ScreenLook> take(Nanos now) {
    const auto at = next();
    if (!at || now < *at) return std::nullopt;
    if (now >= quiet_at_) {
      due_at_.reset();
      return ScreenLook::kSettled;
    }
    due_at_ = now + kScreenLookInterval;
    return ScreenLook::kInTheMiddle;
  }

  // Records a look that began at `begin` and has ended.
  void looked(Nanos begin, Nanos now) { rested_at_ = now + (now - begin) * kScreenRest; }

 private:
  Nanos rested_at_ = Nanos::min();
  Nanos quiet_at_{0};
  std::optional<Nanos> due_at_;
};

}  // namespace gibbous
