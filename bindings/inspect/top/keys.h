// Decodes the keys of a terminal in raw mode. Pure, any thread.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace gibbous::top {

struct Key {
  enum class Kind : std::uint8_t {
    kCharacter,
    kUp,
    kDown,
    kPageUp,
    kPageDown,
    kHome,
    kEnd,
    kEnter,
    kEscape,
    kBackspace,
    kInterrupt,  // Ctrl-C
    kSuspend,    // Ctrl-Z
  };
  Kind kind = Kind::kCharacter;
  char character = 0;  // ASCII, for kCharacter

  friend bool operator==(const Key&, const Key&) = default;
};

// The keys of one read. A lone ESC at the end is the escape key. Unknown keys are ignored.
std::vector<Key> keys_of(std::string_view bytes);

}  // namespace gibbous::top
