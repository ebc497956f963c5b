// A flood of output: memory stays flat, the tail and the gap are right, and others are served.
#include <unistd.h>

#include <fstream>

#include "tests/support/catch.h"
#include "tests/support/host.h"

namespace gibbous {
namespace {

using testing::Host;

long resident_kib() {
  std::ifstream file("/proc/self/statm");
  long pages = 0;
  long resident = 0;
  file >> pages >> resident;
  constexpr long kBytesPerKib = 1024;
  return resident * (::sysconf(_SC_PAGESIZE) / kBytesPerKib);
}

TEST_CASE("1 GiB of output leaves memory flat, the tail and the gap right, and other waits quick",
          "[measured]") {
  // A sixteenth of the output. The host needs 64 KiB on an idle machine, and some 17 MiB under
  // other load.
  [[maybe_unused]] constexpr long kMaxGrowthKib = 64L * 1024;
  constexpr const char* kFlood = "yes 0123456789abcdef | head -c 1073741824; echo THE-END";
  Host host(testing::auto_mode());
  const std::string other = host.start("while echo tick; do sleep 0.05; done");
  host.data("wait_for", {{"id", other}, {"output_regex", "tick"}});
  [[maybe_unused]] const long before = resident_kib();
  const std::string id = host.start(kFlood);
  bool flooded = false;
  host.runtime->call({"wait_for", Json{{"id", id}, {"exit", true}, {"timeout", 600'000}}.dump()},
                     [&](const CallResult& result) {
                       INFO(result.message);
                       REQUIRE(result.ok);
                       flooded = true;
                     });
  // Meanwhile another run answers again and again.
  int answers = 0;
  while (!flooded) {
    host.data("wait_for", {{"id", other}, {"timer_ms", 1}});
    ++answers;
  }
  REQUIRE(answers > 10);
#ifndef GIBBOUS_SANITIZED  // it keeps freed memory on purpose
  REQUIRE(resident_kib() - before < kMaxGrowthKib);
#endif

  const Json tail = host.data("bg_output", {{"id", id}, {"since_last_read", false}, {"lines", 1}});
  REQUIRE(tail.dump().find("THE-END") != std::string::npos);
  // From the beginning: the kept head, then the gap, then what the ring still holds.
  Json from = 0;
  Json gap;
  constexpr int kMaxReads = 200;
  for (int read = 0; read < kMaxReads && gap.is_null(); ++read) {
    const Json fresh = host.data("bg_output", {{"id", id}, {"stream", "stdout"}, {"from", from}});
    from = fresh["next"];
    REQUIRE(fresh["truncated"] == true);
    if (!fresh["gaps"].empty()) gap = fresh["gaps"][0];
  }
  REQUIRE(gap["from"] == 65'536);
  REQUIRE(gap["to"].get<std::uint64_t>() >= 1'073'741'824 - 1'048'576);
}

}  // namespace
}  // namespace gibbous
