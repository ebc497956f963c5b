// OutputRate: how fast output comes, over the last five to ten seconds. It has two windows of
// counts, so a run costs two numbers and a chunk one addition. Loop thread only.
#pragma once

#include <chrono>
#include <cstdint>

#include "runtime/base/clock.h"

namespace gibbous {

class OutputRate {
 public:
  void start(Nanos now) { window_ = now; }
  void add(std::uint64_t bytes, Nanos now) {
    roll(now);
    current_ += bytes;
  }
  // Returns bytes per second.
  double get(Nanos now) const {
    OutputRate rolled = *this;
    rolled.roll(now);
    const Nanos span = (now - rolled.window_) + (rolled.has_previous_ ? kWindow : Nanos{0});
    const double seconds = std::chrono::duration<double>(span).count();
    return seconds <= 0 ? 0 : static_cast<double>(rolled.previous_ + rolled.current_) / seconds;
  }

 private:
  static constexpr Nanos kWindow = std::chrono::seconds(5);

  void roll(Nanos now) {
    if (now - window_ < kWindow) return;
    const bool next = now - window_ < 2 * kWindow;
    previous_ = next ? current_ : 0;
    has_previous_ = true;
    current_ = 0;
    window_ = next ? window_ + kWindow : now;
  }

  Nanos window_{0};
  std::uint64_t current_ = 0;
  std::uint64_t previous_ = 0;
  bool has_previous_ = false;
};

}  // namespace gibbous
