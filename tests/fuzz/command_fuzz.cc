// libFuzzer entry for the parser of command lines: any bytes give a sound tree, with small limits
// too. Built with clang and GIBBOUS_FUZZ.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "runtime/command/parse.h"
#include "tests/runtime/command/tree_check.h"

namespace {

void check(std::string_view text, const gibbous::command::ParseLimits& limits) {
  const gibbous::command::Parsed parsed = gibbous::command::parse(text, limits);
  const std::string fault = gibbous::command::testing::tree_fault(parsed, text.size());
  if (fault.empty()) return;
  std::fprintf(stderr, "%s\n", fault.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check(text, {});
  gibbous::command::ParseLimits small;
  small.bytes = 512;
  small.nodes = 40;
  small.depth = 5;
  check(text, small);
  return 0;
}
