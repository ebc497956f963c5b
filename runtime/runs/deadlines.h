// Deadlines: all the timers of a runtime's runs behind one libuv timer, and work that has to wait
// for the next loop turn. Used by Runs. Loop thread only.
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

  // `fire` comes from the loop, once, not before `delay` has passed.
  Token after(Nanos delay, std::function<void()> fire);
  void cancel(Token& token);  // sets it to 0; 0 and fired tokens are fine
  // `work` comes from the loop's next turn.
  void defer(std::function<void()> work) { after(Nanos{0}, std::move(work)); }

  // Nothing fires any more; on_closed comes from the loop.
  void close(std::function<void()> on_closed);

 private:
  struct Entry {
    Token token;
    std::function<void()> fire;
  };
  void arm();
  void fire_due();

  const Clock& clock_;
  uv_timer_s* timer_;  // freed in its close callback
  std::multimap<Nanos, Entry> entries_;
  std::map<Token, std::multimap<Nanos, Entry>::iterator> by_token_;
  Token last_token_ = 0;
  bool closed_ = false;
};

}  // namespace gibbous
