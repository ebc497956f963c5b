// What the keeper's file says about itself, so that a library knows its own keeper without starting
// it: a note in the form of ELF. Shared by both sides.
#pragma once

#include <array>
#include <cstdint>

namespace gibbous {

struct KeeperNote {
  std::uint32_t name_bytes = 8;
  std::uint32_t text_bytes = 4;
  std::uint32_t type = 1;
  std::array<char, 8> name{'G', 'i', 'b', 'b', 'o', 'u', 's', '\0'};
  std::uint32_t version = 0;  // wire::kVersion
};
static_assert(sizeof(KeeperNote) == 24);

}  // namespace gibbous
