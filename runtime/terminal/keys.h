// Keys as people write them: "ls -l<Enter>", "<C-c>", "<M-x>", "<S-Tab>", "<Up>". A text becomes a
// list of strokes. The bytes of a stroke depend on the terminal's modes (screen.h), except for
// plain bytes. Pure, any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gibbous/status.h"

namespace gibbous {

inline constexpr std::size_t kMaxKeysBytes = std::size_t{64} << 10;  // of one text

enum class Key : std::uint8_t {
  kCharacter,
  kEnter,
  kTab,
  kBackspace,
  kEscape,
  kUp,
  kDown,
  kLeft,
  kRight,
  kInsert,
  kDelete,
  kHome,
  kEnd,
  kPageUp,
  kPageDown,
  kFunction,
};

struct KeyStroke {
  Key key = Key::kCharacter;
  char32_t character = 0;  // of kCharacter
  int number = 0;          // of kFunction, 1 to 12
  bool control = false;
  bool alt = false;
  bool shift = false;
};

// Fails with invalid_arguments: a name that no key has (with the nearest that one has), a '<' that
// is never closed, invalid UTF-8, or too much. "\n" is Enter and "\t" is Tab.
Result<std::vector<KeyStroke>> parse_keys(std::string_view text);
// Every character is one; nothing has a name.
Result<std::vector<KeyStroke>> literal_keys(std::string_view text);

// Returns the bytes of a stroke that mean the same with and without a terminal, or "".
std::string plain_bytes(const KeyStroke& stroke);

// Typed text as a shell would take it: its lines. `edited` means that keys edit, recall or complete
// a line, so that the resulting command is unknown.
struct TypedText {
  std::string text;
  bool edited = false;
};
TypedText typed_text(const std::vector<KeyStroke>& strokes);
// The same for raw bytes to a terminal, in which control characters are keys.
TypedText typed_bytes(std::string_view bytes);

}  // namespace gibbous
