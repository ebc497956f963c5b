// A star takes as little as it can, and the last one more when what follows does not match: an
// earlier one never needs to.
#include "runtime/command/glob.h"

#include <algorithm>
#include <string>

namespace gibbous::command {
namespace {

constexpr std::size_t kNowhere = std::string_view::npos;
constexpr std::size_t kMaxCharacterBytes = 4;
constexpr char kHole = '\0';  // in a text: only a star matches it

// Returns the length of the first character of `text`, which must not be empty.
std::size_t first_character(std::string_view text) {
  const auto continues = [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
  };
  std::size_t size = 1;
  while (size < std::min(text.size(), kMaxCharacterBytes) && continues(text[size])) ++size;
  return size;
}

}  // namespace

bool glob_matches(std::string_view glob, std::string_view text) {
  std::size_t at = 0;
  std::size_t from = 0;
  std::size_t star = kNowhere;
  std::size_t mark = 0;  // up to here it takes the text
  while (from < text.size()) {
    const char wanted = at < glob.size() ? glob[at] : kHole;
    if (wanted == '*') {
      star = at++;
      mark = from;
    } else if (wanted == '?' && text[from] != kHole) {
      from += first_character(text.substr(from));
      ++at;
    } else if (wanted == text[from] && wanted != kHole) {
      ++from;
      ++at;
    } else if (star != kNowhere) {
      at = star + 1;
      from = ++mark;
    } else {
      return false;
    }
  }
  return glob.find_first_not_of('*', at) == kNowhere;
}

bool glob_matches(std::string_view glob, const Value& value) {
  if (value.literal()) return glob_matches(glob, std::string_view(value.text));
  std::string text;
  std::size_t at = 0;
  for (const Value::Hole& hole : value.holes) {
    text.append(value.text, at, hole.begin - at);
    text += kHole;
    at = std::min<std::size_t>(hole.end, value.text.size());
  }
  text.append(value.text, at);
  return glob_matches(glob, text);
}

bool glob_may_match(std::string_view glob, const Value& value) {
  if (value.literal()) return glob_matches(glob, std::string_view(value.text));
  const std::string_view text = value.text;
  const std::string_view head = text.substr(0, value.holes.front().begin);
  const std::string_view tail =
      text.substr(std::min<std::size_t>(value.holes.back().end, text.size()));
  for (std::size_t i = 0; i < std::min(head.size(), glob.size()); ++i) {
    if (glob[i] == '*' || glob[i] == '?') break;
    if (glob[i] != head[i]) return false;
  }
  for (std::size_t i = 1; i <= std::min(tail.size(), glob.size()); ++i) {
    const char wanted = glob[glob.size() - i];
    if (wanted == '*' || wanted == '?') break;
    if (wanted != tail[tail.size() - i]) return false;
  }
  return true;
}

}  // namespace gibbous::command
