// LoopTimer: a libuv timer that frees itself in its close callback, and counts among the open
// handles of its owner. Loop thread only.
#pragma once

#include <uv.h>

#include <functional>
#include <utility>

#include "runtime/base/clock.h"
#include "runtime/base/open_handles.h"

namespace gibbous {

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
