// libFuzzer entry for terminals: the first two bytes are a size that the screen changes to in the
// middle, the rest is what programs write, and what is typed. Built with clang and GIBBOUS_FUZZ;
// tests/runtime/terminal/screen_test.cc and keys_test.cc check the same over random input with
// every build.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "runtime/output/text.h"
#include "runtime/terminal/screen.h"

namespace {

void check(bool condition) {
  if (!condition) std::abort();
}

void check_screen(gibbous::Screen& screen) {
  check(screen.rows().size() == screen.size().rows);
  check(screen.cursor().row >= 0 && screen.cursor().col >= 0);
  for (const gibbous::ScreenRow& row : screen.rows()) check(gibbous::is_utf8(row.text));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  std::size_t answered = 0;
  gibbous::Screen screen({6, 20}, [&](std::string_view answer) { answered += answer.size(); });
  screen.feed(bytes.substr(0, bytes.size() / 2));
  check_screen(screen);
  screen.resize(gibbous::clamp_terminal_size(data[0], data[1]));
  screen.feed(bytes.substr(bytes.size() / 2));
  check_screen(screen);
  if (const auto strokes = gibbous::parse_keys(bytes)) (void)screen.encode(*strokes);
  (void)screen.encode_paste(bytes);
  (void)gibbous::typed_bytes(bytes);
  return 0;
}
