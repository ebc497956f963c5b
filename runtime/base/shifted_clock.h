// ShiftedClock: the system's time until a test of scripts stops it or moves it on. One thread.
#pragma once

#include <optional>

#include "runtime/base/clock.h"

namespace gibbous {

class ShiftedClock final : public Clock {
 public:
  Nanos now() const override { return (stopped_ ? stopped_->now : system_.now()) + by_; }
  Millis wall() const override {
    return (stopped_ ? stopped_->wall : system_.wall()) + std::chrono::duration_cast<Millis>(by_);
  }
  // From now on only advance() moves it.
  void stop() {
    if (!stopped_) stopped_ = {system_.now(), system_.wall()};
  }
  // It goes on from where it stands.
  void go() {
    if (!stopped_) return;
    by_ -= system_.now() - stopped_->now;
    stopped_.reset();
  }
  void advance(Nanos by) { by_ += by; }

 private:
  SystemClock system_;
  struct Stop {
    Nanos now;
    Millis wall;
  };
  std::optional<Stop> stopped_;
  Nanos by_{0};
};

}  // namespace gibbous
