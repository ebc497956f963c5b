#include "bindings/lua/source/source_words.h"

#include <cctype>
#include <cstddef>
#include <utility>

namespace gibbous::lua {
namespace {

constexpr int kDecimalDigits = 3;

int hex_value(char digit) {
  if (std::isdigit(static_cast<unsigned char>(digit)) != 0) return digit - '0';
  return std::tolower(static_cast<unsigned char>(digit)) - 'a' + 10;
}

// Decodes a short string with escapes.
std::string decode(std::string_view raw) {
  static constexpr std::string_view kLetters = "abfnrtv";
  static constexpr std::string_view kMeant = "\a\b\f\n\r\t\v";
  std::string text;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '\\' || i + 1 == raw.size()) {
      text += raw[i];
      continue;
    }
    const char next = raw[++i];
    const auto is_hex = [&raw](std::size_t at) {
      return at < raw.size() && std::isxdigit(static_cast<unsigned char>(raw[at])) != 0;
    };
    if (const std::size_t letter = kLetters.find(next); letter != std::string_view::npos) {
      text += kMeant[letter];
    } else if (next == 'x' && is_hex(i + 1) && is_hex(i + 2)) {
      text += static_cast<char>(hex_value(raw[i + 1]) * 16 + hex_value(raw[i + 2]));
      i += 2;
    } else if (next == 'z') {
      while (i + 1 < raw.size() && std::isspace(static_cast<unsigned char>(raw[i + 1])) != 0) ++i;
    } else if (std::isdigit(static_cast<unsigned char>(next)) != 0) {
      int code = 0;
      std::size_t end = i;
      while (end < raw.size() && end < i + kDecimalDigits &&
             std::isdigit(static_cast<unsigned char>(raw[end])) != 0) {
        code = code * 10 + (raw[end++] - '0');
      }
      text += static_cast<char>(code);
      i = end - 1;
    } else {
      text += next;
    }
  }
  return text;
}

// A minimal lexer for Lua: names, strings and comments.
class Scanner {
 public:
  explicit Scanner(std::string_view source) : source_(source) {}

  std::vector<SourceWord> scan() {
    while (!at_end()) {
      const char next = peek();
      if (next == '-' && peek(1) == '-') {
        comment();
      } else if (next == '\'' || next == '"') {
        const int line = line_;
        const std::string_view raw = short_string();
        literal(raw.find('\\') == std::string_view::npos ? std::string(raw) : decode(raw), line);
      } else if (next == '[' && long_level() >= 0) {
        const int line = line_;
        literal(std::string(long_string()), line);
      } else if (is_name(next)) {
        const bool member = last_ == '.' || last_ == ':';
        const int line = line_;
        name_ = name();
        name_line_ = line;
        member_ = member;
        between_ = '\0';
        last_ = 'a';
      } else {
        other(next);
      }
    }
    return std::move(found_);
  }

 private:
  bool at_end() const { return at_ >= source_.size(); }
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
  }
  void advance() {
    if (peek() == '\n') ++line_;
    ++at_;
  }
  static bool is_name(char byte) {
    return std::isalnum(static_cast<unsigned char>(byte)) != 0 || byte == '_';
  }
  std::string_view name() {
    const std::size_t from = at_;
    while (is_name(peek())) advance();
    return source_.substr(from, at_ - from);
  }

  void literal(std::string text, int line) {
    found_.push_back({true, std::move(text), line, std::string(name_), between_, member_,
                      name_.empty() ? 0 : name_line_});
    name_ = {};
    last_ = '\'';
  }

  // Takes blanks, and everything that is neither a name nor a string.
  void other(char next) {
    advance();
    if (std::isspace(static_cast<unsigned char>(next)) != 0) return;
    const bool compares = next == '=' && peek() == '=';
    if (compares) advance();
    const bool joins = !compares && (next == '=' || next == '(') && between_ == '\0';
    if (joins && next == '=' && !name_.empty()) {
      found_.push_back({false, std::string(name_), name_line_, "", '\0', member_, 0});
    }
    if (joins) {
      between_ = next;
    } else {
      name_ = {};
    }
    last_ = next;
  }

  std::string_view short_string() {
    const char quote = peek();
    advance();
    const std::size_t from = at_;
    while (!at_end() && peek() != quote && peek() != '\n') {
      if (peek() == '\\') advance();
      advance();
    }
    const std::size_t to = at_ < source_.size() ? at_ : source_.size();
    advance();
    return source_.substr(from, to - from);
  }

  // Returns the number of '=' in a long bracket that opens here, or -1.
  int long_level() const {
    std::size_t ahead = 1;
    while (peek(ahead) == '=') ++ahead;
    return peek(ahead) == '[' ? static_cast<int>(ahead - 1) : -1;
  }

  std::string_view long_string() {
    const auto level = static_cast<std::size_t>(long_level());
    const std::string close = "]" + std::string(level, '=') + "]";
    for (std::size_t i = 0; i < level + 2; ++i) advance();
    const std::size_t from = at_;
    std::size_t to = source_.find(close, at_);
    if (to == std::string_view::npos) to = source_.size();
    while (at_ < to + close.size() && !at_end()) advance();
    return source_.substr(from, to - from);
  }

  void comment() {
    advance();
    advance();
    if (peek() == '[' && long_level() >= 0) {
      long_string();
      return;
    }
    while (!at_end() && peek() != '\n') advance();
  }

  std::string_view source_;
  std::vector<SourceWord> found_;
  std::size_t at_ = 0;
  int line_ = 1;
  char last_ = '\0';       // the last character that was neither space nor comment
  std::string_view name_;  // the last name, while nothing but `between_` follows it
  int name_line_ = 0;
  bool member_ = false;
  char between_ = '\0';
};

}  // namespace

std::vector<SourceWord> source_words(std::string_view source) {
  return Scanner(source).scan();
}

std::vector<RequiredName> required_names(std::string_view source) {
  constexpr std::string_view kRequire = "require";
  std::vector<RequiredName> found;
  if (source.find(kRequire) == std::string_view::npos) return found;  // most files
  for (SourceWord& word : source_words(source)) {
    const bool argument = word.is_literal && word.name == kRequire && !word.member;
    if (argument && word.between != '=') found.push_back({std::move(word.text), word.name_line});
  }
  return found;
}

}  // namespace gibbous::lua
