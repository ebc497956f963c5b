// gibbous_bench [spawn|ingest|latency|programs|lua|many|sandbox|policy|journal|watch]...: all of
// them by default. Exit 0 whatever the figures: they are to be read, not to fail a build.
#include <cstdio>
#include <cstring>

#include "tests/bench/harness.h"

int main(int argc, char** argv) {
  using namespace gibbous::bench;
  const struct {
    const char* name;
    void (*run)(Report&);
  } benches[] = {{"lua", bench_lua},           {"latency", bench_latency},
                 {"spawn", bench_spawn},       {"ingest", bench_ingest},
                 {"programs", bench_programs}, {"many", bench_many},
                 {"sandbox", bench_sandbox},   {"policy", bench_policy},
                 {"journal", bench_journal},   {"watch", bench_watch}};
  Report report;
  for (const auto& bench : benches) {
    bool wanted = argc == 1;
    for (int i = 1; i < argc; ++i) wanted = wanted || std::strcmp(argv[i], bench.name) == 0;
    if (wanted) bench.run(report);
  }
  std::printf("\n%d target%s missed\n", report.missed(), report.missed() == 1 ? "" : "s");
  return 0;
}
