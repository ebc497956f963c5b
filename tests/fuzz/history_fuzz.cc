// libFuzzer entry for typed lines that stand for earlier ones: any bytes give lines that are known
// or not, within bounds, and what is kept is read again. The first line of the input is kept
// already. Built with clang and GIBBOUS_FUZZ.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "runtime/command/history.h"

namespace {

using gibbous::command::HistorySpec;
using gibbous::command::TypedLines;

void check(std::string_view before, std::string_view text, const HistorySpec& spec, bool cut) {
  const TypedLines typed = gibbous::command::expand_history(before, text, spec, cut);
  const std::size_t done = before.rfind('\n') + 1;
  // What ran before stays.
  if (typed.text.compare(0, done, before.substr(0, done)) != 0) std::abort();
  // What is not known is left as it was typed.
  if (!typed.known && typed.text != std::string(before) + std::string(text)) std::abort();
  if (!typed.known) return;
  // Each new line is in its place, and a line of keys in none.
  for (const unsigned char byte : text)
    if (spec.kind != HistorySpec::Kind::kNone && byte < ' ' && byte != '\n') std::abort();
  (void)gibbous::command::expand_history(typed.text, "!!\n", spec);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const HistorySpec bash{HistorySpec::Kind::kBash, {"echo", "ls", "true"}};
  const std::size_t middle = input.find('\n');
  const std::size_t end = middle == std::string_view::npos ? 0 : middle + 1;
  for (const bool cut : {false, true}) {
    check(input.substr(0, end), input.substr(end), bash, cut);
    check("echo a b\nls c/d.e\n", input, bash, cut);
    check(input.substr(0, end), input.substr(end), {}, cut);
  }
  return 0;
}
