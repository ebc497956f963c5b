// One line with `!` and `^`, as the history library of bash (lib/readline/histexpand.c) expands it.
// What its versions do differently is not known.
#include <algorithm>
#include <string>
#include <utility>

#include "runtime/command/characters.h"
#include "runtime/command/past.h"

namespace gibbous::command {
namespace {

constexpr std::string_view kLiteralBefore = " \t\r=";  // `!` in front of these is a character
constexpr std::string_view kLiteralOrError = ";&|()<>";
constexpr std::string_view kWordStart = ":$*%^";        // `!$` is `!!$`
constexpr std::string_view kUnlikeOld = "^$*%-#";       // end a search in some versions
constexpr std::string_view kRequotes = "'\"\\`$({[!#";  // change what a later `!` means
constexpr std::size_t kMaxDigits = 4;
constexpr std::size_t kMaxModifiers = 32;

bool holds(std::string_view set, char byte) {
  return set.find(byte) != std::string_view::npos;
}

// The text behind a '!', which is read from the left. Any function returns false for what is not
// known, or is an error, with which nothing runs.
class Reference {
 public:
  Reference(std::string_view line, std::size_t at, const Past& past, Substitution* last)
      : line_(line), at_(at + 1), past_(past), last_(last) {}

  bool read(std::string_view so_far, bool in_quotes) {
    return read_event(so_far, in_quotes) && read_words() && read_modifiers();
  }
  std::size_t end() const { return at_; }
  const std::string& text() const { return text_; }
  bool prints() const { return prints_; }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < line_.size() ? line_[at_ + ahead] : '\0';
  }
  bool take(std::optional<std::string> event) {
    if (!event) return false;
    text_ = std::move(*event);
    return true;
  }
  bool read_number(std::size_t* number) {
    const std::size_t begin = at_;
    for (*number = 0; is_digit(peek()); ++at_) {
      if (at_ - begin >= kMaxDigits) return false;
      *number = *number * 10 + static_cast<std::size_t>(peek() - '0');
    }
    return *number != '$';  // which bash takes for the last word
  }

  bool read_event(std::string_view so_far, bool in_quotes) {
    if (holds(kWordStart, peek())) return take(past_.back(1));
    if (peek() == '#') {
      ++at_;
      text_ = so_far;
      return past_.spend(text_.size());
    }
    if (peek() == '!') {
      ++at_;
      return take(past_.back(1));
    }
    if (peek() == '-' && is_digit(peek(1))) {
      ++at_;
      std::size_t count = 0;
      return read_number(&count) && count > 0 && take(past_.back(count));
    }
    if (is_digit(peek())) return false;  // counts from lines that a file may hold
    return peek() == '?' ? read_containing() : read_starting(in_quotes);
  }

  bool read_containing() {
    const std::size_t begin = ++at_;
    while (at_ < line_.size() && peek() != '?') ++at_;
    const std::string_view wanted = line_.substr(begin, at_ - begin);
    if (peek() == '?') ++at_;
    return !wanted.empty() && take(past_.containing(wanted));
  }

  bool read_starting(bool in_quotes) {
    const std::size_t begin = at_;
    while (at_ < line_.size() && peek() != ':' && !is_metacharacter(peek()) &&
           !(in_quotes && peek() == '"')) {
      if (holds(kUnlikeOld, peek())) return false;
      ++at_;
    }
    return at_ > begin && take(past_.starting(line_.substr(begin, at_ - begin)));
  }

  // :2 :1-3 :2* :2- and ^ $ * -
  bool read_words() {
    const bool colon = peek() == ':';
    const std::size_t begin = at_;
    if (colon) ++at_;
    if (peek() == '%') return false;
    if (peek() == '*') {
      ++at_;
      return choose(1, kLast, /*or_none=*/true);
    }
    if (peek() == '$') {
      ++at_;
      return choose(kLast, kLast);
    }
    std::size_t first = 0;
    if (peek() == '^') {
      first = 1;
      ++at_;
    } else if (is_digit(peek()) && colon) {
      if (!read_number(&first)) return false;
    } else if (peek() != '-') {
      at_ = begin;  // a modifier, or nothing
      return true;
    }
    std::size_t last = first;
    if (peek() == '^' || peek() == '*') {
      last = peek() == '^' ? 1 : kLast;
      ++at_;
    } else if (peek() == '-') {
      ++at_;
      last = kLastButOne;
      if (is_digit(peek())) {
        if (!read_number(&last)) return false;
      } else if (peek() == '$' || peek() == '^') {
        last = peek() == '$' ? kLast : 1;
        ++at_;
      }
    }
    return choose(first, last);
  }

  bool choose(std::size_t first, std::size_t last, bool or_none = false) {
    if (holds_nested(text_)) return false;
    const std::vector<std::string> words = history_words(text_);
    if (words.empty()) return false;
    if (first == kLast) first = words.size() - 1;
    if (last == kLast) last = words.size() - 1;
    if (last == kLastButOne) {
      if (words.size() < 2) return false;
      last = words.size() - 2;
    }
    if (or_none && first > last) {
      text_.clear();
      return true;
    }
    if (first > last || last >= words.size()) return false;
    text_.clear();
    for (std::size_t at = first; at <= last; ++at) text_ += (at > first ? " " : "") + words[at];
    return true;
  }
  // Versions of bash find words differently where they are nested.
  static bool holds_nested(std::string_view text) {
    return text.find_first_of("(`\\") != std::string_view::npos;
  }

  bool read_modifiers() {
    bool everywhere = false;
    char quotes = '\0';
    for (std::size_t count = 0; peek() == ':'; ++count) {
      if (count >= kMaxModifiers) return false;
      ++at_;
      if (peek() == 'g' || peek() == 'a') {
        everywhere = true;
        ++at_;
      }
      const char modifier = peek();
      ++at_;
      if (modifier == 's' || modifier == '&') {
        if (!substitute(modifier, everywhere)) return false;
        everywhere = false;
      } else if (modifier == 'q' || modifier == 'x') {
        quotes = modifier;
      } else if (modifier == 'p') {
        prints_ = true;
      } else if (!cut(modifier)) {
        return false;
      }
    }
    return quotes == '\0' || quote(quotes);
  }

  bool cut(char modifier) {
    const bool by_slash = modifier == 'h' || modifier == 't';
    if (!by_slash && modifier != 'r' && modifier != 'e') return false;
    const std::size_t found = text_.rfind(by_slash ? '/' : '.');
    if (found == std::string::npos) return true;
    if (modifier == 'h' || modifier == 'r') {
      text_.erase(found);
    } else {
      text_.erase(0, by_slash ? found + 1 : found);
    }
    return true;
  }

  std::string pattern(char delimiter) {
    std::string made;
    for (; at_ < line_.size() && peek() != delimiter; ++at_) {
      if (peek() == '\\' && peek(1) == delimiter) ++at_;
      made += peek();
    }
    if (at_ < line_.size()) ++at_;
    return made;
  }

  bool substitute(char modifier, bool everywhere) {
    if (modifier == 's') {
      const auto delimiter = static_cast<unsigned char>(peek());
      if (delimiter < ' ' || delimiter > '~' || delimiter == '\\') return false;
      ++at_;
      last_->from = pattern(static_cast<char>(delimiter));
      if (last_->from.empty()) return false;  // the one before, which may be of an earlier line
      const std::string written = pattern(static_cast<char>(delimiter));
      last_->to.clear();
      for (std::size_t at = 0; at < written.size(); ++at) {
        if (written[at] == '&') {
          last_->to += last_->from;
        } else {
          const bool escaped =
              written[at] == '\\' && at + 1 < written.size() && written[at + 1] == '&';
          last_->to += escaped ? written[++at] : written[at];
        }
        if (last_->to.size() > kMaxExpandedBytes) return false;
      }
    }
    const std::string& from = last_->from;
    if (from.empty()) return false;
    std::size_t found = text_.find(from);
    if (found == std::string::npos) return false;
    std::string made;
    std::size_t at = 0;
    do {
      made.append(text_, at, found - at).append(last_->to);
      at = found + from.size();
      found = text_.find(from, at);
    } while (everywhere && found != std::string::npos && made.size() <= kMaxExpandedBytes);
    text_ = made.append(text_, at);
    return text_.size() <= kMaxExpandedBytes;
  }

  bool quote(char how) {
    if (text_.find('\'') != std::string::npos) return false;
    if (how == 'q') {
      text_ = "'" + text_ + "'";
      return true;
    }
    std::string made = "'";
    for (const char byte : text_) {
      const bool splits = byte == ' ' || byte == '\t';
      made += splits ? std::string("'") + byte + "'" : std::string(1, byte);
    }
    text_ = made + "'";
    return true;
  }

  static constexpr std::size_t kLast = std::string::npos;
  static constexpr std::size_t kLastButOne = kLast - 1;

  std::string_view line_;
  std::size_t at_;
  const Past& past_;
  Substitution* last_;
  std::string text_;
  bool prints_ = false;
};

class LineExpander {
 public:
  LineExpander(std::string_view line, const Past& past, Substitution* last)
      : line_(line),
        last_bracket_(line.rfind(']')),
        last_brace_(line.rfind('}')),
        past_(past),
        last_(last) {}

  Expanded expand() {
    for (at_ = 0; at_ < line_.size() && !comments();) {
      if (!step()) return {Expanded::How::kUnknown, {}, true};
    }
    made_.append(line_.substr(at_));
    if (!expanded_) return {Expanded::How::kSame, std::string(line_), !odd_};
    // A line that holds both kinds of `!` is not always understood.
    if (odd_ || exempt_ || made_.size() > kMaxExpandedBytes)
      return {Expanded::How::kUnknown, {}, true};
    return {prints_ ? Expanded::How::kPrints : Expanded::How::kRuns, std::move(made_), true};
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < line_.size() ? line_[at_ + ahead] : '\0';
  }
  bool follows(char byte) const { return at_ > 0 && line_[at_ - 1] == byte; }
  bool before(std::size_t end) const { return end != std::string_view::npos && end > at_; }
  void copy(std::size_t count = 1) {
    made_.append(line_.substr(at_, count));
    at_ += std::min(count, line_.size() - at_);
  }
  bool comments() const {
    return peek() == '#' && !quoted_ && (at_ == 0 || is_metacharacter(line_[at_ - 1]));
  }

  bool step() {
    switch (peek()) {
      case '!':
        return is_literal() ? (copy(), true) : refer();
      case '\\':
        // The library and the shell disagree about some of these.
        if (peek(1) == '\\' || (peek(1) == '"' && !quoted_)) unsure_ = true;
        copy(2);
        return true;
      case '"':
        quoted_ = !quoted_;
        break;
      case '\'':
        if (!quoted_) return skip_quotes();
        break;
      case '`':
        unsure_ = true;
        break;
      case '$':
        if (peek(1) == '(' || peek(1) == '{' || peek(1) == '[') unsure_ = true;
        break;
      case '<':
      case '>':
        if (peek(1) == '(') unsure_ = true;
        break;
      default:
        break;
    }
    copy();
    return true;
  }

  bool skip_quotes() {
    const bool escapes = follows('$');
    copy();
    while (at_ < line_.size() && peek() != '\'') copy(escapes && peek() == '\\' ? 2 : 1);
    copy();
    return true;
  }

  bool is_literal() {
    const char next = peek(1);
    if (next == '\0' || holds(kLiteralBefore, next) || (quoted_ && next == '"')) return true;
    if (holds(kLiteralOrError, next)) return odd_ = true;
    const bool bracket = follows('[') && before(last_bracket_);
    const bool indirect = at_ > 1 && follows('{') && line_[at_ - 2] == '$' && before(last_brace_);
    if (bracket || indirect || (at_ > 1 && follows('$'))) return exempt_ = true;
    return false;
  }

  bool refer() {
    if (unsure_ || follows('$')) return false;
    Reference reference(line_, at_, past_, last_);
    if (!reference.read(made_, quoted_)) return false;
    made_ += reference.text();
    if (made_.size() > kMaxExpandedBytes) return false;
    if (reference.text().find_first_of(kRequotes) != std::string::npos) unsure_ = true;
    prints_ = prints_ || reference.prints();
    expanded_ = true;
    at_ = reference.end();
    return true;
  }

  std::string_view line_;
  std::size_t last_bracket_;
  std::size_t last_brace_;
  std::size_t at_ = 0;
  const Past& past_;
  Substitution* last_;
  std::string made_;
  bool quoted_ = false;  // in "..."
  bool unsure_ = false;  // whether a later `!` counts is not known
  bool odd_ = false;     // some versions take a `!` for an error
  bool exempt_ = false;  // a `!` is part of [!..], ${!..} or $!
  bool expanded_ = false;
  bool prints_ = false;
};

}  // namespace

Expanded expand_line(std::string_view line, const Past& past, Substitution* last) {
  if (!line.starts_with('^')) return LineExpander(line, past, last).expand();
  const std::string quick = "!!:s" + std::string(line);
  return LineExpander(quick, past, last).expand();
}

}  // namespace gibbous::command
