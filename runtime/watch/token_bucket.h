// TokenBucket: limits how many pass at once, and how many in the long run. Keeps one time stamp:
// when the bucket will be full again. Pure, no clock of its own; one thread.
#pragma once

#include <algorithm>

#include "runtime/base/clock.h"

namespace gibbous {

struct WatchRate {
  unsigned burst = 0;  // at once; 0: no limit
  Nanos interval{0};   // adds one token
};

class TokenBucket {
 public:
  explicit TokenBucket(WatchRate rate) : rate_(rate) {}

  bool has(Nanos now) const {
    return rate_.burst == 0 || full_at_ - now <= rate_.interval * (rate_.burst - 1);
  }
  // Tokens taken from an empty bucket count as well.
  void take(Nanos now) {
    if (rate_.burst > 0) full_at_ = std::max(full_at_, now) + rate_.interval;
  }

 private:
  WatchRate rate_;
  Nanos full_at_ = Nanos::min() / 2;  // long ago, and far enough from the limits for arithmetic
};

}  // namespace gibbous
