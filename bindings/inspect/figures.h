// Ages, sizes and times as people read them, in few columns. Pure but for the time zone; any
// thread.
#pragma once

#include <cstdint>
#include <string>

namespace gibbous::inspect {

// "840ms", "12.3s", "3m20s", "2h05m", "4d3h"; a negative duration is "0ms".
std::string duration_text(std::int64_t millis);
// "812 B", "1.2 MiB"
std::string bytes_text(std::uint64_t bytes);
std::int64_t unix_millis();
// Local time of day with milliseconds: "15:04:05.123"; and with the date before it.
std::string time_text(std::int64_t unix_millis);
std::string date_time_text(std::int64_t unix_millis);

}  // namespace gibbous::inspect
