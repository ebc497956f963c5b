// A table of runs on its own loop, for benchmarks of the runtime without Lua.
#pragma once

#include <uv.h>

#include <functional>
#include <memory>

#include "runtime/runs/runs.h"

namespace gibbous::bench {

class Table {
 public:
  explicit Table(RunLimits limits);
  ~Table();
  // Turns the loop until `done`.
  void until(const std::function<bool()>& done);

  SystemClock clock;
  uv_loop_t loop{};
  std::unique_ptr<Runs> runs;

 private:
  uv_timer_t alive_{};
};

}  // namespace gibbous::bench
