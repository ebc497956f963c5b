// A thousand runs that do nothing: what they hold, what they cost, how fast they come and go.
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "tests/bench/baseline.h"
#include "tests/bench/harness.h"
#include "tests/bench/table.h"

namespace gibbous::bench {
namespace {

constexpr Amount<int> kRuns{1000, 50};
const std::vector<std::string> kSleep = {"/bin/sleep", "600"};

double keeper_cpu_seconds(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string word;
  double ticks = 0;
  constexpr int kUser = 14;
  constexpr int kSystem = 15;
  for (int field = 1; field <= kSystem && file >> word; ++field) {
    if (field == kUser || field == kSystem) ticks += std::stod(word);
  }
  return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

double rss_kib(const Table& table) {
  return status_kib(::getpid(), "VmRSS:") + status_kib(table.runs->keeper_pid(), "VmRSS:");
}

}  // namespace

void bench_many(Report& report) {
  report.section("A thousand runs of `sleep`, both streams piped");
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);

  RunLimits limits;
  limits.max_concurrent = kRuns + 1;
  limits.default_timeout = Millis{0};
  Table table(limits);
  const auto start = [&table] {
    RunSpec spec;
    spec.argv = kSleep;
    auto run = table.runs->start(spec, nullptr);
    if (!run.ok()) std::abort();
    return *run;
  };
  std::vector<Run*> runs = {start()};  // and the keeper with it
  const auto all = [&](auto is) {
    table.until([&] {
      for (const Run* run : runs) {
        if (!is(*run)) return false;
      }
      return true;
    });
  };
  const auto running = [](const Run& run) { return run.state() == RunState::kRunning; };
  all(running);
  const double rss_before = rss_kib(table);
  const double start_ms = timed([&] {
    for (int i = 0; i < kRuns; ++i) runs.push_back(start());
    all(running);
  });
  const double kib_each = (rss_kib(table) - rss_before) / kRuns;

  constexpr Amount<double> kIdleSeconds{5, 0.2};
  const double cpu_before = cpu_seconds() + keeper_cpu_seconds(table.runs->keeper_pid());
  const auto end = Steady::now() + std::chrono::duration<double>(kIdleSeconds);
  table.until([&] { return Steady::now() >= end; });
  const double cpu = cpu_seconds() + keeper_cpu_seconds(table.runs->keeper_pid()) - cpu_before;

  int reports = 0;
  const double kill_ms = timed([&] {
    for (Run* run : runs) {
      table.runs->kill(*run, SIGKILL, Millis{0}, [&](Run&, const KillReport&) { ++reports; });
    }
    table.until([&] { return reports > kRuns; });
  });

  const Many c = c_many(kSleep, kRuns);
  report.add({"start all", "ms", start_ms, c.start_ms, "C posix_spawn", {}, {}});
  report.add(
      {"kill all, each tree reported gone", "ms", kill_ms, c.kill_ms, "C kill + waitpid", {}, {}});
  constexpr double kMaxKib = 8;
  report.add({"RSS of a run, keeper included", "KiB", kib_each, {}, "", {}, kMaxKib});
  constexpr double kMaxPercent = 1;
  report.add(
      {"idle, both processes", "% of a core", cpu / kIdleSeconds * 100, {}, "", {}, kMaxPercent});
}

}  // namespace gibbous::bench
