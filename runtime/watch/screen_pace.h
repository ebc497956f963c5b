// ScreenPace: when to look at a screen that is being written to: when its output has paused, since
// what is shown between may be half drawn, but now and then while it goes on, too. Bounds what
// looking costs, in a flood and with any watchers. Pure, no clock of its own; one thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "runtime/base/clock.h"

namespace gibbous {

// A program that draws a screen does not pause for so long.
inline constexpr Nanos kScreenQuiet = std::chrono::milliseconds(30);
inline constexpr Nanos kScreenLookInterval = std::chrono::milliseconds(200);
// Nor is it looked at for so many times as long as the last look took.
inline constexpr int kScreenRest = 9;

enum class ScreenLook : std::uint8_t {
  kSettled,     // the output has paused, or is over
  kInTheMiddle  // it goes on: rows may be half drawn
};

class ScreenPace {
 public:
  void wrote(Nanos now) {
    quiet_at_ = now + kScreenQuiet;
    if (!due_at_) due_at_ = now + kScreenLookInterval;
  }

  // When to ask take() again; none: nothing was written since the last settled look.
  std::optional<Nanos> next() const {
    if (!due_at_) return std::nullopt;
    return std::max(rested_at_, std::min(quiet_at_, *due_at_));
  }

  // The look that is due now.
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

  // A look has ended that began at `begin`.
  void looked(Nanos begin, Nanos now) { rested_at_ = now + (now - begin) * kScreenRest; }

 private:
  Nanos rested_at_ = Nanos::min();
  Nanos quiet_at_{0};
  std::optional<Nanos> due_at_;
};

}  // namespace gibbous
