#include "runtime/rules/needed_text.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <optional>
#include <utility>

namespace gibbous::rules {
namespace {

constexpr std::string_view kNeutralEscapes = "dDwWsSbBAz";
constexpr std::string_view kRepeatMarks = "*+?";
constexpr std::size_t kNowhere = std::string_view::npos;

bool is_punctuation(char byte) {
  return std::ispunct(static_cast<unsigned char>(byte)) != 0;
}

bool is_word(char byte) {
  return (std::isalnum(static_cast<unsigned char>(byte)) != 0 && byte > 0) || byte == '_' ||
         byte == '-';
}

std::string lower(std::string_view text) {
  std::string made(text);
  for (char& byte : made) {
    if (byte >= 'A' && byte <= 'Z') byte = static_cast<char>(byte - 'A' + 'a');
  }
  return made;
}

// Reads what stands at the top level; groups and classes are passed over. What it does not
// understand, it gives up.
class NeededReader {
 public:
  explicit NeededReader(std::string_view text) : text_(text) {}

  NeededText read() {
    NeededText needed;
    while (at_ < text_.size()) {
      words_.clear();
      const std::optional<char> byte = atom();
      const bool optional = repeat();
      if (wrong_) return {};
      if (optional) continue;
      if (byte && needed.bytes.find(*byte) == std::string::npos) needed.bytes += *byte;
      if (!words_.empty()) needed.words.push_back(std::move(words_));
    }
    needed.folds = folds_;
    if (!folds_) return needed;
    for (std::vector<std::string>& words : needed.words) {
      for (std::string& word : words) word = lower(word);
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
    read_words();
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

  // Reads a group of words, such as (?:push|pull), without passing over it; leaves words_ empty
  // where it is anything else.
  void read_words() {
    std::size_t at = at_ + 1;
    if (text_.compare(at, 2, "?:") == 0) at += 2;
    std::vector<std::string> words(1);
    for (; at < text_.size() && text_[at] != ')'; ++at) {
      const char byte = text_[at];
      if (byte == '|') {
        words.emplace_back();
      } else if (is_word(byte)) {
        words.back() += byte;
      } else {
        return;
      }
    }
    if (at == text_.size()) return;
    for (const std::string& word : words)
      if (word.empty()) return;
    words_ = std::move(words);
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
  std::vector<std::string> words_;  // of the group that was read last
  bool folds_ = false;
  bool wrong_ = false;
};

bool holds_one(std::string_view text, const std::vector<std::string>& words) {
  return std::any_of(words.begin(), words.end(), [text](const std::string& word) {
    return text.find(word) != std::string_view::npos;
  });
}

}  // namespace

NeededText needed_text(std::string_view expression) {
  return NeededReader(expression).read();
}

bool lacks(std::string_view text, const NeededText& needed) {
  const auto is_missing = [text](char byte) { return text.find(byte) == std::string_view::npos; };
  if (std::any_of(needed.bytes.begin(), needed.bytes.end(), is_missing)) return true;
  if (needed.words.empty()) return false;
  std::string folded;
  if (needed.folds) {
    // Some letters beyond ASCII are other cases of letters in it.
    const auto is_beyond = [](char byte) { return static_cast<unsigned char>(byte) >= 0x80; };
    if (std::any_of(text.begin(), text.end(), is_beyond)) return false;
    folded = lower(text);
    text = folded;
  }
  return std::any_of(needed.words.begin(), needed.words.end(),
                     [text](const auto& words) { return !holds_one(text, words); });
}

}  // namespace gibbous::rules
