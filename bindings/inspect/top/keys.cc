// See keys.h.
#include "bindings/inspect/top/keys.h"

#include <array>
#include <optional>
#include <utility>

#include "runtime/output/escape.h"

namespace gibbous::top {
namespace {

using Kind = Key::Kind;

std::optional<Key> key_of_sequence(std::string_view sequence) {
  static constexpr std::array<std::pair<std::string_view, Kind>, 14> kSequences = {{
      {"\x1b[A", Kind::kUp},
      {"\x1bOA", Kind::kUp},
      {"\x1b[B", Kind::kDown},
      {"\x1bOB", Kind::kDown},
      {"\x1b[5~", Kind::kPageUp},
      {"\x1b[6~", Kind::kPageDown},
      {"\x1b[H", Kind::kHome},
      {"\x1bOH", Kind::kHome},
      {"\x1b[1~", Kind::kHome},
      {"\x1b[7~", Kind::kHome},
      {"\x1b[F", Kind::kEnd},
      {"\x1bOF", Kind::kEnd},
      {"\x1b[4~", Kind::kEnd},
      {"\x1b[8~", Kind::kEnd},
  }};
  for (const auto& [text, kind] : kSequences) {
    if (text == sequence) return Key{.kind = kind};
  }
  return std::nullopt;
}

// Many terminals send SS3 ("ESC O" and one byte) for arrows, which escape_at() does not cover.
std::size_t sequence_size(std::string_view bytes) {
  constexpr std::size_t kSingleShift = 3;
  if (bytes.size() >= kSingleShift && bytes[1] == 'O') return kSingleShift;
  return escape_at(bytes).size;
}

std::optional<Key> key_of_byte(char byte) {
  constexpr char kCtrlC = 0x03;
  constexpr char kCtrlZ = 0x1A;
  constexpr char kDelete = 0x7F;
  if (byte == '\r' || byte == '\n') return Key{.kind = Kind::kEnter};
  if (byte == kCtrlC) return Key{.kind = Kind::kInterrupt};
  if (byte == '\b' || byte == kDelete) return Key{.kind = Kind::kBackspace};
  if (byte == kCtrlZ) return Key{.kind = Kind::kSuspend};
  if (byte >= ' ' && byte <= '~') return Key{.kind = Kind::kCharacter, .character = byte};
  return std::nullopt;
}

}  // namespace

std::vector<Key> keys_of(std::string_view bytes) {
  std::vector<Key> keys;
  while (!bytes.empty()) {
    std::size_t size = 1;
    std::optional<Key> key;
    if (bytes[0] != kEscape) {
      key = key_of_byte(bytes[0]);
    } else if (bytes.size() == 1) {
      key = Key{.kind = Kind::kEscape};
    } else {
      size = sequence_size(bytes);
      key = key_of_sequence(bytes.substr(0, size));
    }
    if (key) keys.push_back(*key);
    bytes.remove_prefix(size);
  }
  return keys;
}

}  // namespace gibbous::top
