// See table.h.
#include "tests/bench/table.h"

#include <cstdio>
#include <cstdlib>

#include "tests/bench/harness.h"

namespace gibbous::bench {

Table::Table(RunLimits limits) {
  uv_loop_init(&loop);
  uv_timer_init(&loop, &alive_);
  constexpr std::uint64_t kHour = 3'600'000;
  uv_timer_start(
      &alive_, [](uv_timer_t*) {}, kHour, kHour);
  RunsOptions options;
  options.limits = limits;
  options.workspace = "/";
  options.env = {"PATH=/usr/bin:/bin"};
  options.keeper_path = program_directory() + "/gibbous-keeper";
  auto created = Runs::create(&loop, clock, options);
  if (!created) {
    std::fprintf(stderr, "%s\n", created.status().message().c_str());
    std::exit(1);
  }
  runs = std::move(created.value());
}

Table::~Table() {
  bool closed = false;
  runs->close([&] { closed = true; });
  until([&] { return closed; });
  runs.reset();
  uv_close(reinterpret_cast<uv_handle_t*>(&alive_), nullptr);
  while (uv_loop_close(&loop) == UV_EBUSY) uv_run(&loop, UV_RUN_NOWAIT);
}

void Table::until(const std::function<bool()>& done) {
  while (!done()) uv_run(&loop, UV_RUN_ONCE);
}

}  // namespace gibbous::bench
