// See settings_comments.h.
#include "bindings/cli/settings_comments.h"

#include <algorithm>

namespace gibbous::cli {
namespace {

constexpr const char* kBlank = " \t\r\n";

std::size_t end_of_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return std::min(at + 1, text.size());
}

// Returns the end of the comment that begins here: the same place when none does, npos when it has
// no end.
std::size_t end_of_comment(std::string_view text, std::size_t at) {
  if (text.substr(at, 2) == "//") return std::min(text.find('\n', at), text.size());
  if (text.substr(at, 2) != "/*") return at;
  const std::size_t close = text.find("*/", at + 2);
  return close == std::string_view::npos ? close : close + 2;
}

// A comma that no value precedes stays, and makes the text wrong.
bool is_trailing(std::string_view text, std::size_t comma) {
  const std::size_t next = text.find_first_not_of(kBlank, comma + 1);
  const std::size_t before = comma == 0 ? comma : text.find_last_not_of(kBlank, comma - 1);
  if (next == std::string_view::npos || before == std::string_view::npos) return false;
  return (text[next] == '}' || text[next] == ']') && text[before] != '{' && text[before] != '[' &&
         text[before] != ',';
}

}  // namespace

std::optional<PlainSettings> without_comments(std::string_view text) {
  PlainSettings plain{std::string(text), {}};
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '"') {
      at = end_of_string(text, at);
      continue;
    }
    const std::size_t end = end_of_comment(text, at);
    if (end == std::string_view::npos) return std::nullopt;
    std::fill(plain.text.begin() + static_cast<std::ptrdiff_t>(at),
              plain.text.begin() + static_cast<std::ptrdiff_t>(end), ' ');
    at = std::max(end, at + 1);
  }
  for (std::size_t at = 0; at < plain.text.size();) {
    if (plain.text[at] == '"') {
      at = end_of_string(plain.text, at);
      continue;
    }
    if (plain.text[at] == ',' && is_trailing(plain.text, at)) {
      plain.trailing_commas.push_back(at);
    }
    ++at;
  }
  for (const std::size_t comma : plain.trailing_commas) plain.text[comma] = ' ';
  return plain;
}

bool has_comment(std::string_view text, const PlainSettings& plain, std::size_t begin,
                 std::size_t end) {
  for (std::size_t at = begin; at < end; ++at) {
    const bool is_comma = std::find(plain.trailing_commas.begin(), plain.trailing_commas.end(),
                                    at) != plain.trailing_commas.end();
    if (text[at] != plain.text[at] && !is_comma) return true;
  }
  return false;
}

}  // namespace gibbous::cli
