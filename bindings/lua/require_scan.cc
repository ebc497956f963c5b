#include "bindings/lua/require_scan.h"

#include <cctype>
#include <cstddef>
#include <optional>

namespace gibbous::lua {
namespace {

// Just enough of Lua's lexer: names, strings and comments.
class Scanner {
 public:
  explicit Scanner(std::string_view source) : source_(source) {}

  std::vector<RequiredName> scan() {
    std::vector<RequiredName> found;
    while (!at_end()) {
      const char next = peek();
      if (next == '-' && peek(1) == '-') {
        comment();
      } else if (next == '\'' || next == '"') {
        short_string();
      } else if (next == '[' && long_level() >= 0) {
        long_string();
      } else if (is_name(next)) {
        const bool field = last_ == '.' || last_ == ':';
        const int line = line_;
        if (name() == "require" && !field) {
          if (auto module = argument()) found.push_back({*module, line});
        }
        last_ = 'a';
      } else {
        if (std::isspace(static_cast<unsigned char>(next)) == 0) last_ = next;
        advance();
      }
    }
    return found;
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
  void spaces() {
    while (!at_end() && std::isspace(static_cast<unsigned char>(peek())) != 0) advance();
  }

  // The string literal after `require`, if there is one.
  std::optional<std::string> argument() {
    spaces();
    if (peek() == '(') advance();
    spaces();
    if (peek() == '\'' || peek() == '"') return std::string(short_string());
    if (peek() == '[' && long_level() >= 0) return std::string(long_string());
    return std::nullopt;
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
    last_ = quote;
    return source_.substr(from, to - from);
  }

  // The number of '=' in a long bracket that opens here, or -1.
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
    last_ = ']';
    return source_.substr(from, to - from);
  }

  void comment() {
    advance();
    advance();
    if (peek() == '[' && long_level() >= 0) {
      const char before = last_;
      long_string();
      last_ = before;
      return;
    }
    while (!at_end() && peek() != '\n') advance();
  }

  std::string_view source_;
  std::size_t at_ = 0;
  int line_ = 1;
  char last_ = '\0';  // the last character that was neither space nor comment
};

}  // namespace

std::vector<RequiredName> required_names(std::string_view source) {
  return Scanner(source).scan();
}

}  // namespace gibbous::lua
