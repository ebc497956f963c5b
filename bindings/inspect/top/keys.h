// Keys of a terminal in raw mode, from the bytes that it sends. Pure, any thread.
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
    kInterrupt,  // Ctrl-C
    kSuspend,    // Ctrl-Z
  };
  Kind kind = Kind::kCharacter;
  char character = 0;  // ASCII, for kCharacter

  friend bool operator==(const Key&, const Key&) = default;
};

// Of what one read gave; a lone ESC at its end is the escape key. What is no key of ours is left
// out.
std::vector<Key> keys_of(std::string_view bytes);

}  // namespace gibbous::top
