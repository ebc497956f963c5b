// See figures.h.
#include "bindings/inspect/figures.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>

namespace gibbous::inspect {
namespace {

constexpr std::int64_t kSecond = 1'000;
constexpr std::int64_t kMinute = 60 * kSecond;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;
constexpr std::size_t kTextBytes = 64;

template <typename... Values>
std::string printed(const char* format, Values... values) {
  std::array<char, kTextBytes> text{};
  const int size = std::snprintf(text.data(), text.size(), format, values...);
  return {text.data(), static_cast<std::size_t>(std::clamp<int>(size, 0, kTextBytes - 1))};
}

std::string local_text(std::int64_t unix_millis, const char* format) {
  const std::time_t seconds = unix_millis / kSecond;
  std::tm parts{};
  std::array<char, kTextBytes> text{};
  if (::localtime_r(&seconds, &parts) == nullptr) return std::to_string(unix_millis);
  return {text.data(), std::strftime(text.data(), text.size(), format, &parts)};
}

std::string with_millis(std::int64_t unix_millis, const char* format) {
  return local_text(unix_millis, format) +
         printed(".%03d", static_cast<int>(unix_millis % kSecond));
}

bool is_recent(std::int64_t at) {
  return unix_millis() - at < kDay;
}

}  // namespace

std::string duration_text(std::int64_t millis) {
  millis = std::max<std::int64_t>(millis, 0);
  const auto whole = [](std::int64_t value) { return static_cast<long long>(value); };
  if (millis < kSecond) return printed("%lldms", whole(millis));
  if (millis < kMinute) {
    return printed("%lld.%llds", whole(millis / kSecond), whole(millis % kSecond / 100));
  }
  if (millis < kHour) {
    return printed("%lldm%02llds", whole(millis / kMinute), whole(millis % kMinute / kSecond));
  }
  if (millis < kDay) {
    return printed("%lldh%02lldm", whole(millis / kHour), whole(millis % kHour / kMinute));
  }
  return printed("%lldd%lldh", whole(millis / kDay), whole(millis % kDay / kHour));
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr double kStep = 1024;
  constexpr std::array<const char*, 5> kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB"};
  if (bytes < static_cast<std::uint64_t>(kStep)) {
    return printed("%llu B", static_cast<unsigned long long>(bytes));
  }
  double value = static_cast<double>(bytes) / kStep;
  std::size_t unit = 0;
  for (; value >= kStep && unit + 1 < kUnits.size(); ++unit) value /= kStep;
  return printed(value < 10 ? "%.1f %s" : "%.0f %s", value, kUnits[unit]);
}

std::int64_t unix_millis() {
  using std::chrono::duration_cast;
  return duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::string time_text(std::int64_t unix_millis) {
  return with_millis(unix_millis, "%H:%M:%S");
}

std::string date_time_text(std::int64_t unix_millis) {
  return with_millis(unix_millis, "%Y-%m-%d %H:%M:%S");
}

std::string recent_time_text(std::int64_t at) {
  return is_recent(at) ? time_text(at) : date_time_text(at);
}

std::string short_time_text(std::int64_t at) {
  return local_text(at, is_recent(at) ? "%H:%M:%S" : "%Y-%m-%d %H:%M");
}

std::string count_text(std::uint64_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

}  // namespace gibbous::inspect
