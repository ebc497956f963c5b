// See since.h.
#include "bindings/inspect/since.h"

#include <array>
#include <charconv>
#include <ctime>
#include <string>

#include "bindings/stdio/question_text.h"
#include "runtime/journal/record.h"

namespace gibbous::inspect {
namespace {

constexpr std::size_t kMaxSinceBytes = 40;
constexpr const char* kNumber = "the number of an item (42), ";
constexpr std::int64_t kMillis = 1'000;
constexpr std::int64_t kMaxAmount = 1'000'000'000;

Status not_understood(std::string_view text, const std::string& number = "") {
  return Status::error("invalid_arguments",
                       "--since: expected " + number +
                           "a time ago (90s, 5m, 2h, 1d) or a time (15:04, 2026-11-22T15:04:05), "
                           "got '" +
                           stdio::printable(text, kMaxSinceBytes) + "'");
}

std::optional<std::int64_t> millis_of(std::string_view unit) {
  struct Unit {
    std::string_view name;
    std::int64_t millis;
  };
  constexpr std::array<Unit, 5> kUnits = {{{"ms", 1},
                                           {"s", kMillis},
                                           {"m", 60 * kMillis},
                                           {"h", 3'600 * kMillis},
                                           {"d", 86'400 * kMillis}}};
  for (const Unit& each : kUnits) {
    if (each.name == unit) return each.millis;
  }
  return std::nullopt;
}

// Parses the whole text in this form. `parts` keeps what the form does not name.
bool reads_as(const std::string& text, const char* form, std::tm& parts) {
  std::tm read = parts;
  const char* end = ::strptime(text.c_str(), form, &read);
  if (end == nullptr || *end != '\0') return false;
  parts = read;
  return true;
}

std::optional<std::int64_t> parse_time(std::string text, std::int64_t now) {
  const bool utc = text.back() == 'Z';
  if (utc) text.pop_back();
  const std::time_t seconds = now / kMillis;
  std::tm parts{};
  if ((utc ? ::gmtime_r(&seconds, &parts) : ::localtime_r(&seconds, &parts)) == nullptr) {
    return std::nullopt;
  }
  parts.tm_hour = parts.tm_min = parts.tm_sec = 0;
  parts.tm_isdst = -1;
  for (const char* form : {"%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M:%S",
                           "%Y-%m-%d %H:%M", "%Y-%m-%d", "%H:%M:%S", "%H:%M"}) {
    if (!reads_as(text, form, parts)) continue;
    const std::time_t time = utc ? ::timegm(&parts) : ::mktime(&parts);
    return static_cast<std::int64_t>(time) * kMillis;
  }
  return std::nullopt;
}

}  // namespace

Result<Since> parse_since(std::string_view text, std::int64_t now) {
  if (text.empty() || text.size() > kMaxSinceBytes) return not_understood(text, kNumber);
  std::int64_t amount = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, amount);
  if (error == std::errc() && amount >= 0) {
    if (rest == end && amount <= static_cast<std::int64_t>(kMaxSeq)) {
      return Since{.seq = static_cast<std::uint64_t>(amount)};
    }
    const auto unit = millis_of({rest, static_cast<std::size_t>(end - rest)});
    if (unit && amount <= kMaxAmount) return Since{.seq = {}, .at = now - amount * *unit};
  }
  if (const auto at = parse_time(std::string(text), now)) return Since{.seq = {}, .at = *at};
  return not_understood(text, kNumber);
}

Result<std::int64_t> parse_since_time(std::string_view text, std::int64_t now) {
  const Result<Since> since = parse_since(text, now);
  if (!since || since->seq.value_or(0) != 0) return not_understood(text);
  return since->at;
}

}  // namespace gibbous::inspect
