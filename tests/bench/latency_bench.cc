// Measures the time from a written line to its waiter, and from SIGKILL to the report.
#include <signal.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ctime>

#include "runtime/wait/waits.h"
#include "tests/bench/baseline.h"
#include "tests/bench/harness.h"
#include "tests/bench/table.h"

namespace gibbous::bench {
namespace {

constexpr Amount<int> kLines{600, 30};
constexpr Amount<int> kKills{200, 10};

std::vector<std::string> stamper() {
  return {program_directory() + "/bench_child", "stamp"};
}

double now_micros() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

std::vector<double> our_lines() {
  Table table({});
  auto waits = Waits::create(&table.loop, table.clock, *table.runs);
  RunSpec spec;
  spec.argv = stamper();
  spec.stdin_pipe = true;
  bool ready = false;
  Run* run = *table.runs->start(spec, [&](Run&, Status) { ready = true; });
  table.until([&] { return ready; });
  std::vector<double> micros;
  for (int i = 0; i < kLines; ++i) {
    Condition line;
    line.kind = ConditionKind::kRegex;
    line.run = run->id();
    line.pattern = "^[0-9.]+$";
    line.since = run->stream(StreamId::kStdout).end();
    bool fired = false;
    auto wait = waits->start({{line}, false, {}}, [&](const WaitResult& result) {
      micros.push_back(now_micros() - std::strtod(result.fired.at(0).line.c_str(), nullptr));
      fired = true;
    });
    if (!wait.ok()) std::abort();
    const timespec pause{0, 1'000'000};
    ::nanosleep(&pause, nullptr);
    table.runs->write(*run, "x", [](Status) {});
    table.until([&] { return fired; });
  }
  bool closed = false;
  waits->close([&] { closed = true; });
  table.until([&] { return closed; });
  return micros;
}

std::vector<double> our_kills() {
  Table table({});
  std::vector<double> micros;
  for (int i = 0; i < kKills; ++i) {
    RunSpec spec;
    spec.argv = {"/bin/sleep", "600"};
    bool ready = false;
    Run* run = *table.runs->start(spec, [&](Run&, Status) { ready = true; });
    table.until([&] { return ready; });
    bool dead = false;
    const double begin = now_micros();
    table.runs->kill(*run, SIGKILL, Millis{0}, [&](Run&, const KillReport&) {
      micros.push_back(now_micros() - begin);
      dead = true;
    });
    table.until([&] { return dead; });
  }
  return micros;
}

std::vector<double> c_kills() {
  std::vector<double> micros;
  for (int i = 0; i < kKills; ++i) {
    pid_t pid = 0;
    const int fd = c_start_piped({"/bin/sleep", "600"}, &pid);
    const int pidfd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
    const int epoll = ::epoll_create1(0);
    epoll_event event{};
    event.events = EPOLLIN;
    ::epoll_ctl(epoll, EPOLL_CTL_ADD, pidfd, &event);
    const double begin = now_micros();
    ::kill(pid, SIGKILL);
    ::epoll_wait(epoll, &event, 1, -1);
    ::waitpid(pid, nullptr, 0);
    micros.push_back(now_micros() - begin);
    ::close(epoll);
    ::close(pidfd);
    ::close(fd);
  }
  return micros;
}

}  // namespace

void bench_latency(Report& report) {
  report.section("Latency against epoll in C");
  constexpr double kTarget = 1.5;
  const auto lines = our_lines();
  const auto base_lines = c_line_latency(stamper(), kLines);
  report.add({"line written to waiter told, p50",
              "µs",
              median(lines),
              median(base_lines),
              "C epoll",
              {},
              kTarget});
  report.add({"line written to waiter told, p99",
              "µs",
              percentile(lines, 0.99),
              percentile(base_lines, 0.99),
              "C epoll",
              {},
              {}});
  const auto kills = our_kills();
  const auto base_kills = c_kills();
  report.add({"SIGKILL to reported, p50",
              "µs",
              median(kills),
              median(base_kills),
              "C epoll + pidfd",
              {},
              kTarget});
  report.add({"SIGKILL to reported, p99",
              "µs",
              percentile(kills, 0.99),
              percentile(base_kills, 0.99),
              "C epoll + pidfd",
              {},
              {}});
}

}  // namespace gibbous::bench
