// OneShotTimer: a one-shot timer on a libuv loop that is an ordinary C++ value for its owner. The
// handle itself exists until libuv has closed it, in the loop's next turn, whatever happens to the
// owner. Loop thread only.
#pragma once

#include <functional>

#include "runtime/base/clock.h"

struct uv_loop_s;

namespace gibbous::lua {

class OneShotTimer {
 public:
  OneShotTimer() = default;
  ~OneShotTimer() { stop(); }
  OneShotTimer(const OneShotTimer&) = delete;
  OneShotTimer& operator=(const OneShotTimer&) = delete;

  // Calls `on_time` once, from the loop. A background timer does not keep the loop alive.
  void start(uv_loop_s* loop, Millis delay, bool background, std::function<void()> on_time);
  void stop();
  bool active() const { return handle_ != nullptr; }

 private:
  struct Handle;
  Handle* handle_ = nullptr;
};

}  // namespace gibbous::lua
