// libFuzzer's entry for records of ends: no bytes may crash the parser, and what it takes must be
// written as the same bytes again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "runtime/keeper/end_record.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto record = gibbous::parse_end_record(text);
  if (record && gibbous::to_text(*record) != text) std::abort();
  return 0;
}
