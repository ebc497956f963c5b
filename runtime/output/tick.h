// Tick: one timer of a loop, finer than the loop's own milliseconds where the kernel has one. Never
// keeps the loop alive. IngestImpl owns it; loop thread only.
#pragma once

#include <uv.h>

#include <chrono>

#include "runtime/base/unique_fd.h"

namespace gibbous {

class Tick {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    virtual void on_tick() = 0;
    virtual void on_tick_closed() = 0;
  };

  // Lives until on_tick_closed.
  Tick(uv_loop_t* loop, Owner& owner);
  // Calls on_tick once after `delay`; replaces an earlier arm().
  void arm(std::chrono::nanoseconds delay);
  void disarm();
  // on_tick_closed comes from the loop.
  void close();

 private:
  void set_timer(std::chrono::nanoseconds delay);
  void fire();

  Owner& owner_;
  UniqueFd fd_;  // a timerfd; without one the loop's timer is used
  bool armed_ = false;
  union {
    uv_handle_t any;
    uv_poll_t poll;
    uv_timer_t timer;
  } handle_;
};

}  // namespace gibbous
