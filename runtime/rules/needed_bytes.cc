#include "runtime/rules/needed_bytes.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <optional>

namespace gibbous::rules {
namespace {

constexpr std::string_view kNeutralEscapes = "dDwWsSbBAz";
constexpr std::string_view kRepeatMarks = "*+?";
constexpr std::size_t kNowhere = std::string_view::npos;

bool is_punctuation(char byte) {
  return std::ispunct(static_cast<unsigned char>(byte)) != 0;
}

// Reads what stands at the top level; groups and classes are passed over. What it does not
// understand, it gives up.
class NeededReader {
 public:
  explicit NeededReader(std::string_view text) : text_(text) {}

  std::string read() {
    std::string needed;
    while (at_ < text_.size()) {
      const std::optional<char> byte = atom();
      const bool optional = repeat();
      if (wrong_) return "";
      if (byte && !optional && needed.find(*byte) == std::string::npos) needed += *byte;
    }
    return needed;
  }

 private:
  // Passes over one atom, and returns the byte that it is.
  std::optional<char> atom() {
    const char byte = text_[at_];
    switch (byte) {
      case '\\':
        return escape();
      case '[':
        at_ = end_of_class(at_);
        break;
      case '(':
        group();
        break;
      case '|':
      case ')':
      case '*':
      case '+':
      case '?':
      case '{':
        wrong_ = true;
        break;
      case '.':
      case '^':
      case '$':
        ++at_;
        break;
      default:
        ++at_;
        return plain(byte);
    }
    if (at_ == kNowhere || wrong_) give_up();
    return std::nullopt;
  }

  std::optional<char> escape() {
    const char next = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    at_ += 2;
    if (is_punctuation(next)) return next;
    if (next == '\0' || kNeutralEscapes.find(next) == std::string_view::npos) give_up();
    return std::nullopt;
  }

  std::optional<char> plain(char byte) const {
    const auto code = static_cast<unsigned char>(byte);
    if (code >= 0x80 || (folds_ && std::isalpha(code) != 0)) return std::nullopt;
    return byte;
  }

  // Returns the offset behind the ].
  std::size_t end_of_class(std::size_t at) const {
    ++at;
    if (at < text_.size() && text_[at] == '^') ++at;
    if (at < text_.size() && text_[at] == ']') ++at;
    while (at < text_.size() && text_[at] != ']') {
      if (text_.compare(at, 2, "[:") == 0) {
        at = text_.find(":]", at);
        if (at == kNowhere) return kNowhere;
        at += 2;
      } else {
        at += text_[at] == '\\' ? 2 : 1;
      }
    }
    return at < text_.size() ? at + 1 : kNowhere;
  }

  void group() {
    if (text_.compare(at_, 2, "(?") == 0) {
      const std::size_t end = text_.find_first_of(":)<", at_);
      if (end != kNowhere && text_[end] == ')') {  // flags for the rest
        if (at_ > 0) return give_up();             // what follows may repeat what stands before
        folds_ = folds_ || text_.substr(at_, end - at_).find('i') != kNowhere;
        at_ = end + 1;
        return;
      }
    }
    int depth = 0;
    while (at_ < text_.size()) {
      const char byte = text_[at_];
      if (byte == '[') {
        at_ = end_of_class(at_);
        if (at_ == kNowhere) return;
        continue;
      }
      if (byte == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] == 'Q') return give_up();
      at_ += byte == '\\' ? 2 : 1;
      depth += byte == '(' ? 1 : byte == ')' ? -1 : 0;
      if (depth == 0) return;
    }
    give_up();
  }

  // Returns true if what stands before may be left out.
  bool repeat() {
    bool optional = false;
    while (!wrong_ && at_ < text_.size()) {
      if (kRepeatMarks.find(text_[at_]) != std::string_view::npos) {
        optional = optional || text_[at_] != '+';
        ++at_;
      } else if (text_[at_] == '{') {
        optional = true;
        at_ = text_.find('}', at_);
        if (at_ == kNowhere) give_up();
        if (!wrong_) ++at_;
      } else {
        break;
      }
    }
    return optional;
  }

  void give_up() {
    wrong_ = true;
    at_ = text_.size();
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool folds_ = false;
  bool wrong_ = false;
};

}  // namespace

std::string needed_bytes(std::string_view expression) {
  return NeededReader(expression).read();
}

}  // namespace gibbous::rules
