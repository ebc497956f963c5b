// Clock: the source of time, which tests can replace by one that they advance. Any thread.
#pragma once

#include <chrono>

namespace gibbous {

using Millis = std::chrono::milliseconds;
using Nanos = std::chrono::nanoseconds;

class Clock {
 public:
  virtual ~Clock() = default;
  // Monotonic, from an arbitrary start.
  virtual Nanos now() const = 0;
  // Since the Unix epoch; may jump.
  virtual Millis wall() const = 0;
};

class SystemClock final : public Clock {
 public:
  Nanos now() const override {
    return std::chrono::duration_cast<Nanos>(std::chrono::steady_clock::now().time_since_epoch());
  }
  Millis wall() const override {
    return std::chrono::duration_cast<Millis>(std::chrono::system_clock::now().time_since_epoch());
  }
};

// For tests: stands still until advance().
class ManualClock final : public Clock {
 public:
  Nanos now() const override { return now_; }
  Millis wall() const override { return start_ + std::chrono::duration_cast<Millis>(now_); }
  void advance(Nanos by) { now_ += by; }

 private:
  Nanos now_{0};
  Millis start_{1'700'000'000'000};
};

}  // namespace gibbous
