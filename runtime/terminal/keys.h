// Keys in the notation of Vim: "ls -l<Enter>", "<C-c>", "<M-x>", "<S-Tab>", "<Up>". A text becomes
// a list of strokes. The bytes of a stroke depend on the terminal's modes (screen.h), except for
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

// Fails with invalid_arguments for an unknown key name (it suggests the nearest), an unclosed '<',
// invalid UTF-8, or too much text. "\n" is Enter and "\t" is Tab.
Result<std::vector<KeyStroke>> parse_keys(std::string_view text);
// Makes every character a stroke, without names.
Result<std::vector<KeyStroke>> literal_keys(std::string_view text);

// Returns the bytes of a stroke if they mean the same with and without a terminal, else "".
std::string plain_bytes(const KeyStroke& stroke);

// Typed text as lines that a shell would read. `edited` means that keys edit, recall or complete a
// line, so that the resulting command is unknown.
struct TypedText {
  std::string text;
  bool edited = false;
  bool interrupted = false;  // keys such as <C-c> may throw a line away
};
TypedText typed_text(const std::vector<KeyStroke>& strokes);
// Does the same for raw bytes to a terminal, in which control characters are keys.
TypedText typed_bytes(std::string_view bytes);

}  // namespace gibbous
