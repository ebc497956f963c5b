// See json.h. A scan counts the brackets outside strings before the library sees the text, so no
// deep value is ever built.
#include "bindings/mcp/json.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace gibbous::mcp {
namespace {

// Doubles hold every integer up to here exactly.
constexpr double kMaxExactInteger = 9007199254740992.0;

// Returns the member "id" of the outermost object of a text that cannot be read as a whole, or
// null.
Json outermost_id(std::string_view text) {
  const auto past_string = [text](std::size_t at) {
    for (++at; at < text.size() && text[at] != '"';) at += text[at] == '\\' ? 2 : 1;
    return std::min(at + 1, text.size());
  };
  constexpr std::string_view kSpace = " \t\r\n";
  std::size_t depth = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '{' || text[at] == '[') ++depth;
    if (text[at] == '}' || text[at] == ']') --depth;
    if (text[at] != '"') {
      ++at;
      continue;
    }
    const std::string_view name = text.substr(at, past_string(at) - at);
    at += name.size();
    const std::size_t colon = text.find_first_not_of(kSpace, at);
    if (depth != 1 || name != "\"id\"" || colon >= text.size() || text[colon] != ':') continue;
    const std::size_t begin = std::min(text.find_first_not_of(kSpace, colon + 1), text.size());
    const bool quoted = begin < text.size() && text[begin] == '"';
    const std::size_t end = quoted ? past_string(begin) : text.find_first_of(",}[{", begin);
    Json id = Json::parse(text.substr(begin, end - begin), nullptr, /*allow_exceptions=*/false);
    return id.is_discarded() ? Json() : id;
  }
  return nullptr;
}

}  // namespace

Parsed parse_json(std::string_view text) {
  Parsed parsed;
  if (nests_deeper(text, kMaxDepth)) {
    parsed.failure = ParseFailure::kTooDeep;
    parsed.value = Json{{"id", outermost_id(text)}};
    return parsed;
  }
  parsed.value = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (parsed.value.is_discarded()) {
    parsed.failure = ParseFailure::kSyntax;
    parsed.value = Json{{"id", outermost_id(text)}};
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
