// gibbous_bench [quick]
// [spawn|ingest|latency|programs|http|lua|many|sessions|idle|frames|sandbox|policy|journal|watch]...:
// all of them by default. Figures are to be read: a missed target fails nothing. `quick` does a
// fraction of the work, so that its figures say little; it fails when a benchmark gives no figure.
#include <cstdio>
#include <cstring>

#include "tests/bench/harness.h"

int main(int argc, char** argv) {
  using namespace gibbous::bench;
  const struct {
    const char* name;
    void (*run)(Report&);
  } benches[] = {{"lua", bench_lua},         {"latency", bench_latency},   {"spawn", bench_spawn},
                 {"ingest", bench_ingest},   {"programs", bench_programs}, {"http", bench_http},
                 {"many", bench_many},       {"sessions", bench_sessions}, {"idle", bench_idle},
                 {"frames", bench_frames},   {"sandbox", bench_sandbox},   {"policy", bench_policy},
                 {"journal", bench_journal}, {"watch", bench_watch}};
  const bool quick = argc > 1 && std::strcmp(argv[1], "quick") == 0;
  const int first = quick ? 2 : 1;
  set_quick(quick);
  Report report;
  int empty = 0;
  for (const auto& bench : benches) {
    bool wanted = argc == first;
    for (int i = first; i < argc; ++i) wanted = wanted || std::strcmp(argv[i], bench.name) == 0;
    if (!wanted) continue;
    const int before = report.rows();
    bench.run(report);
    if (report.rows() > before) continue;
    std::printf("  the benchmark %s gave no figure\n", bench.name);
    ++empty;
  }
  if (quick) {
    std::printf("\n%d rows, %d without a figure, %d benchmarks without a row\n", report.rows(),
                report.broken(), empty);
    return report.rows() > 0 && report.broken() == 0 && empty == 0 ? 0 : 1;
  }
  std::printf("\n%d target%s missed\n", report.missed(), report.missed() == 1 ? "" : "s");
  return 0;
}
