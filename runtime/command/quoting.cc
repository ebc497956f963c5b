// Parser: quotes and backslashes, and text with the rules of double quotes.
#include "runtime/command/characters.h"
#include "runtime/command/parser.h"

namespace gibbous::command {

void Parser::backslash(std::vector<Part>& parts) {
  advance();
  if (at_ >= end_) {
    add_text(parts, "\\", false);
    return;
  }
  add_text(parts, text_.substr(at_, 1), true);
  advance();
}

void Parser::single_quoted(std::vector<Part>& parts) {
  const std::size_t begin = at_;
  advance();
  const std::size_t inside = at_;
  while (at_ < end_ && text_[at_] != '\'') {
    ++at_;
  }
  if (at_ >= end_) {
    fail(begin, "no closing \"'\"");
    return;
  }
  add_text(parts, text_.substr(inside, at_ - inside), true);
  advance();
}

void Parser::double_quoted(std::vector<Part>& parts, Double mode) {
  const std::size_t begin = at_;
  advance();
  if (peek() == '"') add_text(parts, "", true);
  double_pieces(parts, mode);
  if (halted()) return;
  if (peek() != '"') {
    fail(begin, "no closing '\"'");
    return;
  }
  advance();
}

void Parser::double_pieces(std::vector<Part>& parts, Double mode) {
  const bool in_quotes = mode == Double::kQuotes || mode == Double::kBracedQuotes;
  while (!halted()) {
    const int c = peek();
    if (c == kEnd || (c == '"' && in_quotes)) return;
    if (c == '"' && mode == Double::kBraced) {
      double_quoted(parts, Double::kBracedQuotes);
    } else if (c == '"' && mode == Double::kArithmetic) {
      advance();
    } else if (c == '`') {
      backticks(parts, true, mode == Double::kQuotes || (mode == Double::kHere && !bash()));
    } else if (c == '$' && dollar(parts, true)) {
      continue;
    } else if (c == '\\' && at_ + 1 < end_) {
      const char next = text_[at_ + 1];
      const bool escapes = next == '$' || next == '`' || next == '\\' ||
                           (next == '"' && mode != Double::kHere) ||
                           (next == '}' && mode == Double::kBraced);
      advance();
      if (escapes) {
        add_text(parts, text_.substr(at_, 1), true);
        advance();
      } else {
        add_text(parts, "\\", true);
      }
    } else {
      const std::size_t begin = at_;
      std::size_t end = at_ + 1;
      if (c == '\n') {
        advance();
      } else {
        while (end < end_ && std::string_view("\"`$\\\n").find(text_[end]) == kNowhere) ++end;
        at_ = read_until_ = end;
      }
      add_text(parts, text_.substr(begin, end - begin), true);
    }
  }
}

}  // namespace gibbous::command
