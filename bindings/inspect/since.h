// Parses --since: "42" is the number of an item, "5m" a time ago, "15:04" or "2026-11-22T15:04" a
// local time (with "Z" at the end: UTC). Pure except for the time zone; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "gibbous/status.h"

namespace gibbous::inspect {

struct Since {
  std::optional<std::uint64_t> seq;  // items above it
  std::int64_t at = 0;               // or items at or after this time (Unix milliseconds)
};

// Fails with invalid_arguments, which lists the accepted forms. `now`: Unix milliseconds.
Result<Since> parse_since(std::string_view text, std::int64_t now);
// Accepts times only, in Unix milliseconds; "0" is the beginning.
Result<std::int64_t> parse_since_time(std::string_view text, std::int64_t now);

}  // namespace gibbous::inspect
