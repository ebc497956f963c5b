// libFuzzer entry for watchers: the first two bytes say how large the chunks are and whether
// unfinished lines are looked at, the rest makes watchers and output. Any answer other than that of
// RE2 on each line aborts. Built with clang and GIBBOUS_FUZZ;
// tests/runtime/watch/differential_test.cc runs the same comparison over random input with every
// build.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "tests/support/watch_differential.h"
#include "tests/support/watch_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMostPieces = 1000;
  if (size < 2) return 0;
  gibbous::testing::WatchInput input({reinterpret_cast<const char*>(data) + 2, size - 2});
  const auto specs = input.specs();
  const std::string output = input.output(kMostPieces);
  const std::size_t chunk = data[0] + std::size_t{1};
  const std::string problem = gibbous::testing::watch_problem(
      specs, output, [chunk] { return chunk; }, data[1] % 2 == 1);
  if (problem.empty()) return 0;
  for (const auto& spec : specs) std::fprintf(stderr, "regex: %s\n", spec.regex.c_str());
  std::fprintf(stderr, "%s\n", problem.c_str());
  std::abort();
}
