// Parser: tildes, patterns and brace marks in unquoted words.
#include <algorithm>
#include <utility>

#include "runtime/command/characters.h"
#include "runtime/command/parser.h"

namespace gibbous::command {

// Takes ~ or ~user; returns false if it is an ordinary character.
bool Parser::tilde(std::vector<Part>& parts, bool colon_ends) {
  std::size_t at = at_ + 1;
  std::string user;
  int c = character_behind(at);
  while (c >= 0 && (is_ordinary(c) || c == '+') && c != '/') {
    user += static_cast<char>(c);
    ++at;
    c = character_behind(at);
  }
  const bool ends = c == kEnd || c == '/' || is_metacharacter(c) || (c == ':' && colon_ends) ||
                    c == '}' || c == ',';
  const bool stack = user.starts_with('+') || user.starts_with('-');  // ~+
  if (!ends || (stack && !bash())) return false;
  if (Part* part = add_part(parts, Part::Kind::kTilde, false)) part->text = user;
  at_ = at;
  read_until_ = at;
  return true;
}

// Takes an extended pattern such as ?( ) as one kGlob as written; what is expanded in it follows.
void Parser::extended_pattern(std::vector<Part>& parts, const WordStyle& style) {
  const Level level(*this);
  const std::size_t begin = at_;
  advance();
  std::vector<Part> inside;
  regex_group(inside, style);
  if (halted()) return;
  if (Part* part = add_part(parts, Part::Kind::kGlob, false))
    part->text = slice(begin, read_until_);
  for (Part& each : inside) {
    if (each.kind != Part::Kind::kText && each.kind != Part::Kind::kGlob)
      parts.push_back(std::move(each));
  }
}

// Takes ( up to its matching ) as text with expansions.
void Parser::regex_group(std::vector<Part>& parts, const WordStyle& style) {
  peek();
  const std::size_t open = at_;
  PairStyle pair;
  pair.dollars = Dollars::kNone;
  const std::size_t close = matched_end(open + 1, '(', ')', pair);
  int depth = 0;
  WordStyle inside = style;
  inside.braces = false;
  inside.patterns = false;
  do {
    const int c = peek();
    if (c == kEnd) {
      fail(open, "no closing ')'");
      return;
    }
    const bool script = begins_process(c, at_);
    if (c == '(' || c == ')') depth += c == '(' ? 1 : -1;
    if (is_metacharacter(c) && !script) {
      add_text(parts, text_.substr(at_, 1), false);
      advance();
    } else {
      unquoted_special(parts, inside, c);
    }
  } while (depth > 0 && !halted());
  if (read_until_ != close + 1) complain("bash counts these parentheses otherwise");
}

// Takes [...] as one pattern if it closes within plain text, otherwise only the [.
void Parser::bracket(std::vector<Part>& parts) {
  const std::size_t begin = at_;
  std::size_t at = begin + 1;
  bool found = false;
  bool may_close_later = false;
  if (begin >= no_bracket_until_) {
    if (at < end_ && (text_[at] == '!' || text_[at] == '^')) ++at;
    if (at < end_ && text_[at] == ']') ++at;
    for (; at < end_; ++at) {
      const int c = static_cast<unsigned char>(text_[at]);
      const bool named = c == '[' && at + 1 < end_ && text_[at + 1] == ':';
      if (named) {
        // the ] of [:alpha:] closes nothing
        std::size_t name = at + 2;
        while (name < end_ && is_name(static_cast<unsigned char>(text_[name]))) ++name;
        if (text_.substr(0, end_).substr(name).starts_with(":]")) {
          at = name + 1;
          continue;
        }
      }
      found = c == ']';
      may_close_later = c == '\\' || c == '\'' || c == '"' || c == '`' || c == '$';
      if (found || may_close_later || is_metacharacter(c)) break;
    }
    if (!found && !may_close_later) no_bracket_until_ = at;
  }
  if (found) {
    if (Part* part = add_part(parts, Part::Kind::kGlob, false)) {
      part->text = slice(begin, at + 1);
    }
    at_ = read_until_ = at + 1;
  } else if (may_close_later) {
    if (Part* part = add_part(parts, Part::Kind::kGlob, false)) part->text = "[";
    advance();
  } else {
    add_text(parts, "[", false);
    advance();
  }
}

void Parser::brace(std::vector<Part>& parts, int c) {
  Part::Kind kind = Part::Kind::kBraceComma;
  if (c == '{') kind = Part::Kind::kBraceOpen;
  if (c == '}') kind = Part::Kind::kBraceClose;
  if (Part* part = add_part(parts, kind, false)) part->text = static_cast<char>(c);
  advance();
}

// Turns marks outside of complete braces into text.
void Parser::settle_braces(std::vector<Part>& parts) {
  struct Open {
    std::size_t at;
    std::vector<std::size_t> commas;
  };
  std::vector<Open> open;
  std::vector<bool> is_mark(parts.size(), false);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].kind == Part::Kind::kBraceOpen) {
      open.push_back({i, {}});
    } else if (parts[i].kind == Part::Kind::kBraceComma && !open.empty()) {
      open.back().commas.push_back(i);
    } else if (parts[i].kind == Part::Kind::kBraceClose && !open.empty()) {
      is_mark[i] = is_mark[open.back().at] = true;
      for (const std::size_t comma : open.back().commas) is_mark[comma] = true;
      open.pop_back();
    }
  }
  std::vector<Part> settled;
  bool was_brace = false;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Part& part = parts[i];
    const bool is_brace = part.kind == Part::Kind::kBraceOpen ||
                          part.kind == Part::Kind::kBraceComma ||
                          part.kind == Part::Kind::kBraceClose;
    if (is_brace && !is_mark[i]) part.kind = Part::Kind::kText;
    if (part.kind == Part::Kind::kTilde && i > 0 && !is_mark[i - 1] && was_brace) {
      part.kind = Part::Kind::kText;
      part.text.insert(0, "~");
    }
    was_brace = is_brace;
    const bool joins = !settled.empty() && part.kind == Part::Kind::kText && !part.quoted &&
                       settled.back().kind == Part::Kind::kText && !settled.back().quoted;
    if (joins) {
      settled.back().text += part.text;
    } else {
      settled.push_back(std::move(part));
    }
  }
  parts = std::move(settled);
}

}  // namespace gibbous::command
