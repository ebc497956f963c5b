// Deadlines: all the timers of a runtime's runs on one libuv timer, and work for the next loop
// turn. Runs uses it. Loop thread only.
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

  // The loop calls `fire` once, not before `delay` has passed.
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
    std::function<void()> fire;
  };
  void arm();
  void fire_due();

  const Clock& clock_;
  uv_timer_s* timer_;  // its close callback frees it
  std::multimap<Nanos, Entry> entries_;
  std::map<Token, std::multimap<Nanos, Entry>::iterator> by_token_;
  Token last_token_ = 0;
  bool closed_ = false;
};

}  // namespace gibbous
