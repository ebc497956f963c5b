// Taking in output: bytes and lines, against a bare read loop.
#include <sys/wait.h>
#include <unistd.h>

#include "tests/bench/baseline.h"
#include "tests/bench/harness.h"
#include "tests/bench/table.h"

namespace gibbous::bench {
namespace {

constexpr double kGiga = 1e9;

struct Flow {
  const char* name;
  Amount<std::size_t> bytes;
  std::size_t chunk;
  std::size_t line;
  double rate_target;
  double cpu_target;
};

constexpr Flow kFlows[] = {
    {"64 KiB writes",
     {std::size_t{1} << 30, std::size_t{16} << 20},
     std::size_t{64} << 10,
     100,
     1.2,
     0},
    {"4 KiB writes",
     {std::size_t{512} << 20, std::size_t{8} << 20},
     std::size_t{4} << 10,
     100,
     1.0,
     0},
    {"100-byte writes", {std::size_t{32} << 20, std::size_t{1} << 20}, 100, 100, 3.0, 0.05},
};

std::vector<std::string> argv_of(const Flow& flow) {
  return {program_directory() + "/bench_child", "write", std::to_string(std::size_t{flow.bytes}),
          std::to_string(flow.chunk), std::to_string(flow.line)};
}

struct Measure {
  double rate;  // GB/s
  double cpu;   // seconds of this process a GB
};

Measure ours(const Flow& flow) {
  RunLimits limits;
  limits.default_timeout = Millis{0};
  Table table(limits);
  RunSpec spec;
  spec.argv = argv_of(flow);
  const double cpu = cpu_seconds();
  const auto begin = Steady::now();
  Run* run = *table.runs->start(spec, nullptr);
  table.until([&] { return run->drained(); });
  const double seconds = std::chrono::duration<double>(Steady::now() - begin).count();
  const double giga = static_cast<double>(flow.bytes) / kGiga;
  if (run->stream(StreamId::kStdout).end() != flow.bytes) std::abort();
  return {giga / seconds, (cpu_seconds() - cpu) / giga};
}

Measure baseline(const Flow& flow) {
  const double cpu = cpu_seconds();
  const auto begin = Steady::now();
  pid_t pid = 0;
  const int fd = c_start_piped(argv_of(flow), &pid);
  if (c_read_all(fd) != flow.bytes) std::abort();
  const double seconds = std::chrono::duration<double>(Steady::now() - begin).count();
  ::close(fd);
  ::waitpid(pid, nullptr, 0);
  const double giga = static_cast<double>(flow.bytes) / kGiga;
  return {giga / seconds, (cpu_seconds() - cpu) / giga};
}

}  // namespace

void bench_ingest(Report& report) {
  report.section("Taking in output (into ring and head, lines counted) against read(64 KiB) in C");
  constexpr Amount<int> kRounds{3, 1};
  for (const Flow& flow : kFlows) {
    std::vector<double> our_rate;
    std::vector<double> our_cpu;
    std::vector<double> base_rate;
    std::vector<double> base_cpu;
    for (int round = 0; round < kRounds; ++round) {
      const Measure us = ours(flow);
      const Measure them = baseline(flow);
      our_rate.push_back(us.rate);
      our_cpu.push_back(us.cpu);
      base_rate.push_back(them.rate);
      base_cpu.push_back(them.cpu);
    }
    report.add({flow.name,
                "GB/s",
                median(our_rate),
                median(base_rate),
                "C read loop",
                flow.rate_target,
                {}});
    std::optional<double> bound;
    if (flow.cpu_target > 0) bound = flow.cpu_target;
    report.add(
        {flow.name, "CPU s/GB", median(our_cpu), median(base_cpu), "C read loop", {}, bound});
  }

  constexpr double kGrowthKib = 16 * 1024;
  const double before = status_kib(static_cast<int>(::getpid()), "VmRSS:");
  ours(kFlows[0]);
  report.add({"RSS growth over 1 GiB of output",
              "KiB",
              status_kib(static_cast<int>(::getpid()), "VmRSS:") - before,
              {},
              "",
              {},
              kGrowthKib});
}

}  // namespace gibbous::bench
