// Ages, sizes and times as short text. Pure except for the time zone; any thread.
#pragma once

#include <cstdint>
#include <string>

namespace gibbous::inspect {

// "840ms", "12.3s", "3m20s", "2h05m", "4d3h"; a negative duration is "0ms".
std::string duration_text(std::int64_t millis);
// "812 B", "1.2 MiB"
std::string bytes_text(std::uint64_t bytes);
std::int64_t unix_millis();
// Local time with milliseconds, "15:04:05.123", and the same after the date.
std::string time_text(std::int64_t unix_millis);
std::string date_time_text(std::int64_t unix_millis);
// For a column: "15:04:05" within a day of now, else "2026-11-22 15:04".
std::string short_time_text(std::int64_t unix_millis);
// The time alone within a day of now, else the date too.
std::string recent_time_text(std::int64_t unix_millis);

// "1 run", "2 runs".
std::string count_text(std::uint64_t count, const std::string& noun);

}  // namespace gibbous::inspect
