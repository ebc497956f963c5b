// CpuShare: how much of a processor a run uses, from figures that are asked for now and then.
#pragma once

#include <algorithm>
#include <chrono>

#include "runtime/base/clock.h"

namespace gibbous {

class CpuShare {
 public:
  void begin(Nanos started) { before_.at = last_.at = started; }

  // Returns per cent of one processor since the newest earlier figure that is at least kWindow old:
  // the kernel counts in steps of 10 ms, so that less would say nothing.
  double percent(std::chrono::microseconds used, Nanos now) {
    const Figure since = now - last_.at >= kWindow ? last_ : before_;
    if (now - last_.at >= kWindow) {
      before_ = last_;
      last_ = {now, used};
    }
    const auto passed = std::chrono::duration<double>(now - since.at).count();
    const auto more = std::chrono::duration<double>(used - since.used).count();
    constexpr double kPercent = 100.0;
    return passed > 0 ? std::max(0.0, kPercent * more / passed) : 0.0;
  }

 private:
  static constexpr std::chrono::seconds kWindow{1};
  struct Figure {
    Nanos at{0};
    std::chrono::microseconds used{0};
  };
  Figure before_;
  Figure last_;
};

}  // namespace gibbous
