// Cuts a glob at its stars. The first piece must match at the beginning and the last at the end;
// each piece between them takes its first occurrence, which is never worse than a later one, so no
// backtracking is needed. Holes cut the text in the same way.
#include "runtime/command/glob.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace gibbous::command {
namespace {

constexpr std::size_t kNowhere = std::string_view::npos;
constexpr std::size_t kMaxCharacterBytes = 4;

bool is_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

// Returns the length of the first character of `text`, which must not be empty.
std::size_t first_character(std::string_view text) {
  std::size_t size = 1;
  while (size < std::min(text.size(), kMaxCharacterBytes) && is_continuation(text[size])) ++size;
  return size;
}

std::size_t last_character(std::string_view text) {
  std::size_t size = 1;
  while (size < std::min(text.size(), kMaxCharacterBytes) &&
         is_continuation(text[text.size() - size])) {
    ++size;
  }
  return size;
}

// Returns how many bytes of `text` a piece without stars matches, or kNowhere.
std::size_t match_begin(std::string_view piece, std::string_view text) {
  std::size_t at = 0;
  for (const char wanted : piece) {
    if (at == text.size()) return kNowhere;
    if (wanted == '?') {
      at += first_character(text.substr(at));
    } else if (text[at++] != wanted) {
      return kNowhere;
    }
  }
  return at;
}

std::size_t match_end(std::string_view piece, std::string_view text) {
  std::size_t left = text.size();
  for (std::size_t i = piece.size(); i > 0; --i) {
    if (left == 0) return kNowhere;
    if (piece[i - 1] == '?') {
      left -= last_character(text.substr(0, left));
    } else if (text[--left] != piece[i - 1]) {
      return kNowhere;
    }
  }
  return text.size() - left;
}

// Returns where the first occurrence of a piece ends in `text`, or kNowhere.
std::size_t find_piece(std::string_view piece, std::string_view text) {
  if (piece.empty()) return 0;
  if (piece.find('?') == kNowhere) {
    const void* found = memmem(text.data(), text.size(), piece.data(), piece.size());  // linear
    if (found == nullptr) return kNowhere;
    return static_cast<std::size_t>(static_cast<const char*>(found) - text.data()) + piece.size();
  }
  for (std::size_t begin = 0; begin < text.size(); ++begin) {
    const std::size_t size = match_begin(piece, text.substr(begin));
    if (size != kNowhere) return begin + size;
  }
  return kNowhere;
}

// The first byte already rules out most globs for most texts.
bool begins_otherwise(std::string_view glob, std::string_view text) {
  if (glob.empty() || glob.front() == '*' || glob.front() == '?') return false;
  return text.empty() || text.front() != glob.front();
}

bool without_stars(std::string_view glob, std::string_view text) {
  return match_begin(glob, text) == text.size();
}

// The known parts of a value: before, between and after its holes.
class KnownParts {
 public:
  explicit KnownParts(const Value& value) : text_(value.text), holes_(value.holes) {}

  std::size_t count() const { return holes_.size() + 1; }
  std::string_view at(std::size_t index) const {
    const std::size_t begin = index == 0 ? 0 : edge(holes_[index - 1].end);
    const std::size_t end = index == holes_.size() ? text_.size() : edge(holes_[index].begin);
    return text_.substr(begin, end > begin ? end - begin : 0);
  }

 private:
  std::size_t edge(std::uint32_t offset) const {
    return std::min<std::size_t>(offset, text_.size());
  }

  std::string_view text_;
  const std::vector<Value::Hole>& holes_;
};

// Matches the pieces between the first and the last star in `part`, or in later parts as `next`
// says.
template <typename Next>
bool match_middle(std::string_view middle, std::string_view part, Next next) {
  while (!middle.empty()) {
    const std::size_t star = std::min(middle.find('*'), middle.size());
    const std::string_view piece = middle.substr(0, star);
    middle.remove_prefix(std::min(star + 1, middle.size()));
    std::size_t end = find_piece(piece, part);
    while (end == kNowhere) {
      if (!next(part)) return false;
      end = find_piece(piece, part);
    }
    part.remove_prefix(end);
  }
  return true;
}

}  // namespace

bool glob_matches(std::string_view glob, std::string_view text) {
  if (begins_otherwise(glob, text)) return false;
  const std::size_t first = glob.find('*');
  if (first == kNowhere) return without_stars(glob, text);
  const std::size_t last = glob.rfind('*');
  const std::size_t begin = match_begin(glob.substr(0, first), text);
  if (begin == kNowhere) return false;
  text.remove_prefix(begin);
  const std::size_t end = match_end(glob.substr(last + 1), text);
  if (end == kNowhere) return false;
  text.remove_suffix(end);
  if (first == last) return true;
  return match_middle(glob.substr(first + 1, last - first - 1), text,
                      [](std::string_view&) { return false; });
}

bool glob_matches(std::string_view glob, const Value& value) {
  if (value.literal()) return glob_matches(glob, std::string_view(value.text));
  const std::size_t first = glob.find('*');
  if (first == kNowhere) return false;
  const std::size_t last = glob.rfind('*');
  const KnownParts parts(value);
  const std::size_t begin = match_begin(glob.substr(0, first), parts.at(0));
  const std::size_t end = match_end(glob.substr(last + 1), parts.at(parts.count() - 1));
  if (begin == kNowhere || end == kNowhere) return false;
  if (first == last) return true;
  std::size_t index = 0;
  return match_middle(glob.substr(first + 1, last - first - 1), parts.at(0).substr(begin),
                      [&](std::string_view& part) {
                        if (++index == parts.count()) return false;
                        part = parts.at(index);
                        if (index + 1 == parts.count()) part.remove_suffix(end);
                        return true;
                      });
}

bool glob_may_match(std::string_view glob, const Value& value) {
  if (value.literal()) return glob_matches(glob, std::string_view(value.text));
  const KnownParts parts(value);
  const std::string_view head = parts.at(0);
  const std::string_view tail = parts.at(parts.count() - 1);
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
