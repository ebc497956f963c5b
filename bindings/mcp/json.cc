// See json.h. A scan counts the brackets outside strings before the library sees the text, so no
// deep value is ever built.
#include "bindings/mcp/json.h"

#include <cmath>
#include <cstdint>

namespace gibbous::mcp {
namespace {

// Doubles hold every integer up to here exactly.
constexpr double kMaxExactInteger = 9007199254740992.0;

// The parser is iterative, and members that the callback rejects cost nothing.
Json parse_outermost(std::string_view text) {
  const auto keep = [](int depth, Json::parse_event_t event, Json&) {
    if (depth == 0) return true;
    return depth == 1 && (event == Json::parse_event_t::key || event == Json::parse_event_t::value);
  };
  Json value = Json::parse(text, keep, /*allow_exceptions=*/false);
  return value.is_object() ? value : Json();
}

}  // namespace

Parsed parse_json(std::string_view text) {
  Parsed parsed;
  if (nests_deeper(text, kMaxDepth)) {
    parsed.failure = ParseFailure::kTooDeep;
    parsed.value = parse_outermost(text);
    return parsed;
  }
  parsed.value = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (parsed.value.is_discarded()) {
    parsed.failure = ParseFailure::kSyntax;
    parsed.value = nullptr;
  }
  return parsed;
}

Json json_number(double value) {
  if (std::fabs(value) <= kMaxExactInteger && value == std::floor(value)) {
    return static_cast<std::int64_t>(value);
  }
  return value;
}

}  // namespace gibbous::mcp
