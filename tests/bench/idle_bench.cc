// A server with more and more idle runs: how often it wakes, and how long a list of them takes. And
// a program that embeds the library, and has nothing to do.
#include <unistd.h>

#include <thread>

#include "gibbous/runtime.h"
#include "tests/bench/harness.h"
#include "tests/bench/servers.h"

namespace gibbous::bench {
namespace {

constexpr double kMaxWakeups = 1;

// A second, over half a minute, once what was begun has settled.
double wakeups(pid_t host) {
  const Amount<std::chrono::milliseconds> settle{std::chrono::seconds(10),
                                                 std::chrono::milliseconds(100)};
  const Amount<std::chrono::milliseconds> idle{std::chrono::seconds(30),
                                               std::chrono::milliseconds(200)};
  std::this_thread::sleep_for(std::chrono::milliseconds(settle));
  const std::int64_t before = cost_of(host).wakeups;
  std::this_thread::sleep_for(std::chrono::milliseconds(idle));
  const std::chrono::duration<double> seconds = std::chrono::milliseconds(idle);
  return static_cast<double>(cost_of(host).wakeups - before) / seconds.count();
}

void bench_wakeups(Report& report, Peer& server, int& running) {
  for (const int runs : {0, 1, 10}) {
    for (; running < runs; ++running) call_tool(server, kIdle);
    report.add({"wake-ups with " + std::to_string(runs) + " idle runs",
                "a second",
                wakeups(server.pid()),
                {},
                "",
                {},
                kMaxWakeups});
  }
}

void bench_lists(Report& report, Peer& server, int& running) {
  struct Stage {
    Amount<int> runs;
    std::optional<double> at_most;
  };
  for (const Stage& stage :
       {Stage{{10, 10}, {}}, {{100, 11}, {}}, {{1000, 12}, 20}, {{5000, 13}, 100}}) {
    for (; running < stage.runs; ++running) call_tool(server, kIdle);
    call_tool(server, kStatus);
    const double millis = median(
        {call_tool(server, kStatus), call_tool(server, kStatus), call_tool(server, kStatus)});
    report.add({"bg_status of " + std::to_string(stage.runs) + " idle runs",
                "ms",
                millis,
                {},
                "",
                {},
                stage.at_most});
  }
}

// Lets the runtime work for so long, and sleeps whenever it has nothing to do.
void drive(Runtime& runtime, std::chrono::milliseconds time) {
  const auto end = Steady::now() + time;
  while (Steady::now() < end) {
    runtime.wait(std::chrono::ceil<std::chrono::milliseconds>(end - Steady::now()));
  }
}

void bench_embedded(Report& report) {
  const Place place;
  RuntimeOptions options;
  options.state_dir = place.state();
  options.watch_files = false;
  auto runtime = Runtime::create(options);
  if (!runtime) {
    report.note(runtime.status().message());
    return;
  }
  const Amount<std::chrono::milliseconds> idle{std::chrono::seconds(20),
                                               std::chrono::milliseconds(200)};
  drive(**runtime, std::chrono::milliseconds(idle) / 4);
  const std::int64_t before = cost_of(::getpid()).wakeups;
  drive(**runtime, idle);
  const std::chrono::duration<double> seconds = std::chrono::milliseconds(idle);
  report.add({"wake-ups of an embedding program without a run, files not watched",
              "a second",
              static_cast<double>(cost_of(::getpid()).wakeups - before) / seconds.count(),
              {},
              "",
              {},
              kMaxWakeups});
}

}  // namespace

void bench_idle(Report& report) {
  report.section("A server with idle runs, and its keeper");
  bench_embedded(report);
  const Place place;
  const auto server = place.server("idle");
  int running = 0;
  bench_wakeups(report, *server, running);
  bench_lists(report, *server, running);
}

}  // namespace gibbous::bench
