// Alarms call back after a while, unless they are cleared first. They do not keep the loop alive.
// Loop thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <map>

#include "runtime/base/clock.h"

struct uv_loop_s;
struct uv_timer_s;

namespace gibbous {

class Alarms {
 public:
  explicit Alarms(uv_loop_s* loop);
  ~Alarms() { close(); }
  Alarms(const Alarms&) = delete;
  Alarms& operator=(const Alarms&) = delete;

  // Returns a number for clear(); 0 after close().
  int set(Millis after, std::function<void()> then);
  // The same, but `look` returns after how long it is called again, under the same number; 0:
  // never.
  int look(Millis after, std::function<Millis()> look);
  void clear(int alarm);
  // Clears all.
  void close();

 private:
  struct Alarm {
    std::uint64_t due = 0;  // milliseconds of the loop
    std::function<Millis()> look;
  };
  void arm();
  void ring();

  uv_loop_s* loop_;
  uv_timer_s* timer_;  // freed in its close callback
  std::map<int, Alarm> alarms_;
  int last_ = 0;
};

}  // namespace gibbous
