// libFuzzer entry for the bounded patterns: the input is subject, pattern and replacement,
// separated by zero bytes. Any answer other than LuaJIT's aborts. Built with clang and
// GIBBOUS_FUZZ; pattern_test.cc runs the same comparison over random input with every build.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tests/support/pattern_differential.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // LuaJIT's matcher has no bound on its steps: longer input only finds that again.
  constexpr std::size_t kMaxInput = 48;
  constexpr int kMaxInit = 7;
  static gibbous::lua::test::PatternDifferential differential;
  if (size > kMaxInput) return 0;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  std::string_view parts[3];
  for (std::string_view& part : parts) {
    const std::size_t end = rest.find('\0');
    part = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  }
  const int init = rest.empty() ? 1 : rest.front() % kMaxInit;
  const std::string difference = differential.difference(parts[0], parts[1], parts[2], init);
  if (difference.empty()) return 0;
  std::fprintf(stderr, "%s\n", difference.c_str());
  std::abort();
}
