// libFuzzer entry for what passes between a process and its helpers that look at paths, and for the
// table of mounts. Built with clang and GIBBOUS_FUZZ.
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include "runtime/paths/mount_types.h"
#include "runtime/paths/question.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span packet(reinterpret_cast<const char*>(data), size);
  const std::string_view text(packet.data(), packet.size());
  (void)gibbous::paths::MountTable::parse(text);
  (void)gibbous::paths::interpreter_of(text);
  (void)gibbous::paths::decode_answer(packet);
  const auto question = gibbous::paths::decode_question(packet);
  if (!question) return 0;
  // What was read is written as it was.
  const auto again = gibbous::paths::encode(*question);
  if (again && *again != text) std::abort();
  return 0;
}
