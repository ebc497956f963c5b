// libFuzzer entry for the parser of command lines: any bytes give a sound tree in any dialect,
// which the first byte selects, with small limits too. Built with clang and GIBBOUS_FUZZ.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>

#include "runtime/command/parse.h"
#include "tests/runtime/command/tree_check.h"

namespace {

using gibbous::command::Dialect;

void check(std::string_view text, const gibbous::command::ParseLimits& limits, Dialect dialect) {
  const gibbous::command::Parsed parsed = gibbous::command::parse(text, limits, dialect);
  const std::string fault = gibbous::command::testing::tree_fault(parsed);
  if (fault.empty()) return;
  std::fprintf(stderr, "%s\n", fault.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const Dialect dialect =
      gibbous::command::kAllDialects[data[0] % std::size(gibbous::command::kAllDialects)];
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  (void)gibbous::command::may_differ(text);
  check(text, {}, dialect);
  gibbous::command::ParseLimits small;
  small.bytes = 512;
  small.nodes = 40;
  small.depth = 5;
  check(text, small, dialect);
  return 0;
}
