// TickingClock: advances by a step at each read. Time is then the number of reads, so that a budget
// ends at the same place on every machine.
#pragma once

#include "runtime/base/clock.h"

namespace gibbous::testing {

class TickingClock final : public Clock {
 public:
  explicit TickingClock(Nanos step) : step_(step) {}
  void set_step(Nanos step) { step_ = step; }
  Nanos now() const override { return now_ += step_; }
  Millis wall() const override { return std::chrono::duration_cast<Millis>(now_); }

 private:
  Nanos step_;
  mutable Nanos now_{0};
};

}  // namespace gibbous::testing
