// LoopTimer and OpenHandles: libuv handles that free themselves in their close callbacks, and a
// count that shows when all handles of an owner are closed. KeeperClient uses both. Loop thread
// only.
#pragma once

#include <uv.h>

#include <functional>
#include <utility>

#include "runtime/base/clock.h"

namespace gibbous {

// Must outlive the handles that it counts.
class OpenHandles {
 public:
  void opened() { ++count_; }
  void closed() {
    if (--count_ == 0 && on_none_) std::exchange(on_none_, nullptr)();
  }
  void when_none(std::function<void()> on_none) { on_none_ = std::move(on_none); }

 private:
  int count_ = 0;
  std::function<void()> on_none_;
};

class LoopTimer {
 public:
  // `on_time` may destroy the timer.
  LoopTimer(uv_loop_t* loop, OpenHandles& handles, std::function<void()> on_time);
  ~LoopTimer();
  LoopTimer(const LoopTimer&) = delete;
  LoopTimer& operator=(const LoopTimer&) = delete;

  void start(Millis delay);
  // Stops the timer from holding the loop open.
  void unref();
  void stop();

 private:
  struct Handle;
  Handle* handle_;
};

}  // namespace gibbous
