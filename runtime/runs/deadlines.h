// Deadlines: the timers of runs, waits and calls on one libuv timer, and work for the next loop
// turn. libuv runs timers before it polls, so after a pause of the host (SIGSTOP, a suspended
// machine) a deadline is due before the loop has seen what came in time. One that is found late
// therefore waits until the loop has looked once more. Loop thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "runtime/base/clock.h"

struct uv_loop_s;
struct uv_timer_s;

namespace gibbous {

class Deadlines {
 public:
  using Token = std::uint64_t;  // 0 is none

  Deadlines(uv_loop_s* loop, const Clock& clock);
  ~Deadlines();  // after close()
  Deadlines(const Deadlines&) = delete;
  Deadlines& operator=(const Deadlines&) = delete;

  // The loop calls `fire` once, not before `delay` has passed. Without a delay it is work, not a
  // deadline, and is never postponed.
  Token after(Nanos delay, std::function<void()> fire);
  void cancel(Token& token);  // sets it to 0; 0 and fired tokens are allowed
  // Calls `work` in the loop's next turn.
  void defer(std::function<void()> work) { after(Nanos{0}, std::move(work)); }
  // A test has moved the clock.
  void clock_moved() { arm(); }

  // Cancels everything; the loop calls on_closed.
  void close(std::function<void()> on_closed);

 private:
  struct Entry {
    Token token;
    bool waits;  // it has a delay
    std::function<void()> fire;
  };
  void arm();
  void set_timer(Nanos delay);
  void fire_due();

  const Clock& clock_;
  uv_timer_s* timer_;  // its close callback frees it
  std::multimap<Nanos, Entry> entries_;
  std::map<Token, std::multimap<Nanos, Entry>::iterator> by_token_;
  Token last_token_ = 0;
  std::uint64_t timer_at_ = 0;  // uv_now() at which the timer should fire
  bool looking_ = false;        // those that were late fire with the timer, however late that is
  bool closed_ = false;
};

}  // namespace gibbous
