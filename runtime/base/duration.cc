#include "runtime/base/duration.h"

#include <cmath>
#include <cstdint>
#include <cstdio>

namespace gibbous {
namespace {

constexpr double kMillisPerSecond = 1000;
constexpr std::int64_t kSecondsPerMinute = 60;
constexpr std::int64_t kMinutesPerHour = 60;
constexpr std::int64_t kHoursPerDay = 24;

}  // namespace

std::string short_duration(double millis) {
  char text[64];
  if (millis < kMillisPerSecond) {
    std::snprintf(text, sizeof text, "%.0fms", std::floor(millis));
    return text;
  }
  if (millis < kMillisPerSecond * static_cast<double>(kSecondsPerMinute)) {
    constexpr double kTenth = 100;  // rounded down: 59.96 s are not 60.0 s
    std::snprintf(text, sizeof text, "%.1fs", std::floor(millis / kTenth) / 10);
    return text;
  }
  const auto seconds = static_cast<std::int64_t>(millis / kMillisPerSecond);
  const std::int64_t minutes = seconds / kSecondsPerMinute;
  const std::int64_t hours = minutes / kMinutesPerHour;
  const std::int64_t days = hours / kHoursPerDay;
  const auto show = [&](std::int64_t large, const char* unit, std::int64_t small,
                        const char* rest) {
    std::snprintf(text, sizeof text, "%lld%s %02lld%s", static_cast<long long>(large), unit,
                  static_cast<long long>(small), rest);
  };
  if (hours == 0) {
    show(minutes, "m", seconds % kSecondsPerMinute, "s");
  } else if (days == 0) {
    show(hours, "h", minutes % kMinutesPerHour, "m");
  } else {
    show(days, "d", hours % kHoursPerDay, "h");
  }
  return text;
}

}  // namespace gibbous
