// Where a reader wants to begin, as people type it: "42" is an item's seq, "5m" so long ago,
// "15:04" or "2026-11-22T15:04" a local time ("Z" at its end: UTC). Pure but for the time zone; any
// thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "gibbous/status.h"

namespace gibbous::inspect {

struct Since {
  std::optional<std::uint64_t> seq;  // items above it
  std::int64_t at = 0;               // or items from this Unix millisecond on
};

// Fails with invalid_arguments, which names what is understood. `now`: Unix milliseconds.
Result<Since> parse_since(std::string_view text, std::int64_t now);

}  // namespace gibbous::inspect
