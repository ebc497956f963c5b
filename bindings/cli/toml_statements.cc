// See toml_statements.h. One pass over the text; strings and brackets of a value may go over lines.
#include "bindings/cli/toml_statements.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace gibbous::cli {
namespace {

constexpr std::size_t kQuotesOfLongString = 3;

class TomlScanner {
 public:
  explicit TomlScanner(std::string_view text) : text_(text) {}

  std::optional<std::vector<TomlStatement>> all() {
    if (text_.substr(0, 3) == "\xEF\xBB\xBF") at_ = 3;
    while (next_statement()) {
    }
    if (failed_) return std::nullopt;
    return std::move(statements_);
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool at_end() const { return at_ >= text_.size(); }
  void skip_blanks() {
    while (peek() == ' ' || peek() == '\t') ++at_;
  }
  void skip_line() { at_ = std::min(text_.find('\n', at_), text_.size()); }
  bool fail() {
    failed_ = true;
    return false;
  }

  bool next_statement() {
    skip_blanks();
    if (at_end()) return false;
    if (peek() == '#') skip_line();
    if (peek() == '\n' || peek() == '\r') {
      ++at_;
      return true;
    }
    if (at_end()) return false;
    TomlStatement made;
    made.begin = at_;
    if (!(peek() == '[' ? header(made) : key(made))) return fail();
    if (!end_of_line()) return fail();
    made.end = at_;
    statements_.push_back(std::move(made));
    return true;
  }

  bool header(TomlStatement& made) {
    const bool of_array = peek(1) == '[';
    made.kind = of_array ? TomlStatement::Kind::kTableOfArray : TomlStatement::Kind::kTable;
    at_ += of_array ? 2 : 1;
    if (!path(made.path)) return false;
    for (int left = of_array ? 2 : 1; left > 0; --left) {
      if (peek() != ']') return false;
      ++at_;
    }
    return true;
  }

  bool key(TomlStatement& made) {
    if (!path(made.path) || peek() != '=') return false;
    ++at_;
    return value();
  }

  bool path(std::vector<std::string>& parts) {
    while (true) {
      skip_blanks();
      std::string part;
      if (!(peek() == '"' || peek() == '\'' ? quoted_part(part) : bare_part(part))) return false;
      parts.push_back(std::move(part));
      skip_blanks();
      if (peek() != '.') return true;
      ++at_;
    }
  }

  bool bare_part(std::string& part) {
    while (std::isalnum(static_cast<unsigned char>(peek())) != 0 || peek() == '_' ||
           peek() == '-') {
      part += text_[at_++];
    }
    return !part.empty();
  }

  // A part with escapes is kept as it stands: it is none of ours then.
  bool quoted_part(std::string& part) {
    const std::size_t begin = at_ + 1;
    if (!string()) return false;
    part = text_.substr(begin, at_ - 1 - begin);
    return true;
  }

  bool string() {
    const char quote = peek();
    const bool is_long = peek(1) == quote && peek(2) == quote;
    const std::size_t quotes = is_long ? kQuotesOfLongString : 1;
    at_ += quotes;
    while (!at_end()) {
      if (quote == '"' && peek() == '\\') {
        at_ += 2;
      } else if (!is_long && peek() == '\n') {
        return false;
      } else if (text_.substr(at_, quotes) == std::string(quotes, quote)) {
        at_ += quotes;
        while (is_long && peek() == quote) ++at_;  // it may end with quotes of its own
        return true;
      } else {
        ++at_;
      }
    }
    return false;
  }

  bool value() {
    std::size_t depth = 0;
    while (!at_end() && !(peek() == '\n' && depth == 0)) {
      if (peek() == '"' || peek() == '\'') {
        if (!string()) return false;
        continue;
      }
      if (peek() == '#') {
        skip_line();
        continue;
      }
      if (peek() == '[' || peek() == '{') ++depth;
      if ((peek() == ']' || peek() == '}') && depth-- == 0) return false;
      ++at_;
    }
    return depth == 0;
  }

  bool end_of_line() {
    skip_blanks();
    if (peek() == '#') skip_line();
    if (peek() == '\r') ++at_;
    if (at_end()) return true;
    if (peek() != '\n') return false;
    ++at_;
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool failed_ = false;
  std::vector<TomlStatement> statements_;
};

}  // namespace

std::optional<std::vector<TomlStatement>> toml_statements(std::string_view text) {
  return TomlScanner(text).all();
}

}  // namespace gibbous::cli
