// Many sessions at once: servers with a run each that share one state directory. What they cost
// while they are idle, how fast a start is among them, and how fast the others answer while half of
// them are killed.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <memory>
#include <thread>

#include "tests/bench/harness.h"
#include "tests/bench/servers.h"

namespace gibbous::bench {
namespace {

using Servers = std::vector<std::unique_ptr<Peer>>;

constexpr int kAsked = 20;  // of the sessions, for a median

double median_call(const Servers& servers, const std::string& tool) {
  const std::size_t count = std::min<std::size_t>(servers.size(), kAsked);
  std::vector<double> millis;
  for (std::size_t i = 0; i < count; ++i) {
    millis.push_back(call_tool(*servers[i * servers.size() / count], tool));
  }
  return median(millis);
}

// Returns the seconds that the hosts and their keepers have used.
double cpu_of(const Servers& servers) {
  double seconds = 0;
  for (const auto& server : servers) seconds += cost_of(server->pid()).cpu_seconds;
  return seconds;
}

double idle_percent(const Servers& servers) {
  const Amount<std::chrono::milliseconds> settle{std::chrono::seconds(15),
                                                 std::chrono::milliseconds(100)};
  const Amount<std::chrono::milliseconds> idle{std::chrono::seconds(60),
                                               std::chrono::milliseconds(200)};
  std::this_thread::sleep_for(std::chrono::milliseconds(settle));
  const double before = cpu_of(servers);
  std::this_thread::sleep_for(std::chrono::milliseconds(idle));
  const std::chrono::duration<double> seconds = std::chrono::milliseconds(idle);
  return (cpu_of(servers) - before) / seconds.count() * 100;
}

// Kills every other host, and asks the others meanwhile.
void bench_kill_half(Report& report, Servers& servers) {
  const std::string killed = std::to_string((servers.size() + 1) / 2);
  const double calm = median_call(servers, kStatus);
  Servers rest;
  for (std::size_t i = 0; i < servers.size(); ++i) {
    if (i % 2 == 0) {
      ::kill(servers[i]->pid(), SIGKILL);
    } else {
      rest.push_back(std::move(servers[i]));
    }
  }
  report.add({"a call while " + killed + " hosts are killed",
              "ms",
              median_call(rest, kStatus),
              calm,
              "a call before",
              {},
              {}});
  report.add(
      {"sessions that still have their run, of " + std::to_string(rest.size()),
       "",
       static_cast<double>(std::count_if(rest.begin(), rest.end(),
                                         [](const auto& server) { return has_running(*server); })),
       {},
       "",
       static_cast<double>(rest.size()),
       {}});
}

}  // namespace

void bench_sessions(Report& report) {
  report.section(
      "Sessions with one idle run each, one state directory, hosts and keepers together");
  allow_many_files();
  const Place place;
  Servers servers;
  servers.push_back(place.server("s0"));
  call_tool(*servers.front(), kIdle);
  const double start_alone =
      median({call_tool(*servers.front(), kIdle), call_tool(*servers.front(), kIdle),
              call_tool(*servers.front(), kIdle)});
  constexpr double kMaxPercentEach = 0.01;
  constexpr double kMaxRatio = 1.5;
  for (const Amount<int> stage : {Amount<int>{50, 3}, {100, 4}, {200, 5}, {1000, 6}}) {
    while (static_cast<int>(servers.size()) < stage) {
      servers.push_back(place.server("s" + std::to_string(servers.size())));
      call_tool(*servers.back(), kIdle);
    }
    const std::string count = std::to_string(stage);
    report.add({count + " idle sessions",
                "% of a core",
                idle_percent(servers),
                {},
                "",
                {},
                kMaxPercentEach * stage});
    report.add({"a start among " + count + " sessions",
                "ms",
                median_call(servers, kIdle),
                start_alone,
                "a start alone",
                {},
                kMaxRatio});
  }
  bench_kill_half(report, servers);
}

}  // namespace gibbous::bench
