// libFuzzer entry for text views and excerpts: the first two bytes say how large the budget and the
// ring are, the rest is output. Built with clang and GIBBOUS_FUZZ;
// tests/runtime/output/text_property_test.cc checks the same properties over random input with
// every build.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "tests/support/text_properties.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kRingStep = 16;
  constexpr std::size_t kPieceBytes = 13;
  if (size < 2) return 0;
  const std::string_view raw(reinterpret_cast<const char*>(data) + 2, size - 2);
  std::string problem = gibbous::testing::clean_problem(raw);
  if (problem.empty()) {
    const std::size_t ring = data[1] * kRingStep + 1;
    problem = gibbous::testing::excerpt_problem(raw, data[0], ring, ring / 2, kPieceBytes);
  }
  if (problem.empty()) return 0;
  std::fprintf(stderr, "%s\n", problem.c_str());
  std::abort();
}
