// Parser: finds the end of ${ }, (( )), $(( )), $[ ] and subscripts. bash finds the end by one set
// of rules and reads the inside by another, and commands can hide where the two disagree, so this
// does the same. A script inside is parsed at once and kept (Source::scripts); the search costs
// each byte once for each level around it.
#include <algorithm>
#include <utility>

#include "runtime/command/characters.h"
#include "runtime/command/parser.h"

namespace gibbous::command {

// `at` is after an opening quote, or after the first character of a nested construct `c`. Moves it
// past the end.
bool Parser::skip_nested(std::size_t& at, char c, PairStyle style) {
  PairStyle inside;
  inside.double_quoted = style.double_quoted;
  if (c == '(') {
    std::size_t next = at;
    if (character_behind(next) != '(') return keep_script(at - 1, at);
    inside = arithmetic_pair();
    at = matched_end(at, '(', ')', inside);
  } else if (c == '{') {
    inside = braces_or_subscript(style.double_quoted);
    inside.first_close = true;
    at = matched_end(at, '{', '}', inside);
  } else if (c == '[') {
    at = matched_end(at, '[', ']', inside);
  } else {
    inside.double_quoted = inside.double_quoted || c == '"';
    inside.dollars = Dollars::kAll;
    inside.escapes = style.escapes && c == '\'';
    at = matched_end(at, c, c, inside);
  }
  if (at == kNowhere) return false;
  ++at;
  return true;
}

std::size_t Parser::matched_end(std::size_t at, char open, char close, PairStyle style) {
  const Level level(*this);
  const std::size_t begin = at;
  const bool groups = open != close;
  int depth = 1;
  bool dollar = false;
  bool angle = false;
  const bool singles = !style.first_close || !style.double_quoted || single_quotes_count(at);
  while (!halted() && at < end_) {
    const char c = text_[at];
    if (open == '\'') {
      if (c == '\'') return at;
      ++at;
      if (c == '\\' && style.escapes && at < end_) ++at;
      continue;
    }
    if (c == '\\') {
      const bool continues = at + 1 < end_ && text_[at + 1] == '\n';
      at = at + 1 < end_ ? at + 2 : at + 1;
      if (!continues) dollar = angle = false;
      continue;
    }
    const std::size_t place = at;
    ++at;
    const bool was_dollar = std::exchange(dollar, c == '$' && !dollar);
    const bool was_angle = std::exchange(angle, c == '<' || c == '>');
    if (c == close && --depth == 0) return place;
    if (open == '`') continue;
    const bool quotes = (c == '"' && style.quotes) || (c == '\'' && style.quotes && singles);
    if (groups && c == '\'' && !singles && !decodes_quotes_)
      complain("shells differ in quotes inside ${ } of a here-document");
    if (groups && (c == '`' || quotes)) {
      PairStyle quote = style;
      quote.escapes = was_dollar && !dash();
      if (!skip_nested(at, c, quote)) return kNowhere;
      // bash decodes it before it reads what is around it.
      if (c == '\'' && was_dollar && !dash() && decodes_quotes_)
        complain("$'...' inside an expansion");
    } else if ((open == '"' && c == '`') ||
               (was_dollar && c == '(' && style.dollars != Dollars::kNone) ||
               (was_dollar && (c == '{' || (c == '[' && bash())) &&
                style.dollars == Dollars::kAll) ||
               (was_angle && c == '(' && style.substitutes && !dash())) {
      const bool script = was_angle && c == '(';
      if (script ? !keep_script(place, at) : !skip_nested(at, c, style)) {
        return kNowhere;
      }
    } else if (groups && c == open && !style.first_close) {
      ++depth;
    }
  }
  fail(begin > 0 ? begin - 1 : 0, std::string("no closing '") + close + "'");
  return kNowhere;
}

// Returns the place of the character before `at`, skipping continuations.
std::size_t Parser::before(std::size_t at, std::size_t from) const {
  while (at >= from + 3 && text_[at - 1] == '\n' && text_[at - 2] == '\\') at -= 2;
  return at - 1;
}

Parser::PairStyle Parser::braces_or_subscript(bool double_quoted) {
  PairStyle style;
  style.dollars = Dollars::kAll;
  style.substitutes = true;
  style.double_quoted = double_quoted;
  return style;
}

// Quotes are plain text in the arithmetic of other shells.
Parser::PairStyle Parser::arithmetic_pair() const {
  PairStyle style;
  style.quotes = bash();
  style.double_quoted = !bash();
  if (!bash()) style.dollars = Dollars::kAll;
  return style;
}

// Returns true if a single quote begins a quotation in the ${ } within double quotes whose inside
// begins at `at`: always in bash, and otherwise behind the operators that take a pattern.
bool Parser::single_quotes_count(std::size_t at) const {
  if (state_.dialect == Dialect::kBash) return true;
  int c = character_behind(at);
  for (bool first = true; is_name(c) || (first && is_special_parameter(c)); first = false) {
    ++at;
    c = character_behind(at);
  }
  const std::string_view patterns = bash() ? "%#/^," : dash() ? "%#" : "%#/";
  return c != kEnd && patterns.find(static_cast<char>(c)) != kNowhere;
}

// Returns true if bash may count different parentheses in a $(( )): it rewrites each $( ) before it
// counts, without comments and without the ( of a case pattern.
bool Parser::is_doubtful(std::size_t begin, std::size_t end) const {
  const std::string_view inside = text_.substr(begin, end - begin);
  if (inside.find("$(") == kNowhere && inside.find("$\\") == kNowhere) return false;
  if (inside.find("case") != kNowhere || inside.find("<<") != kNowhere) return true;
  if (inside.find("\\\n") != kNowhere) return true;
  for (std::size_t at = inside.find('#'); at != kNowhere; at = inside.find('#', at + 1)) {
    if (at > 0 && is_metacharacter(static_cast<unsigned char>(inside[at - 1]))) return true;
  }
  return false;
}

// Returns true if the parentheses in [begin, end) balance the way bash counts them to tell $(( ))
// from $( ( ) ).
bool Parser::is_arithmetic(std::size_t begin, std::size_t end) {
  const Bounds bounds(*this, begin, end);
  int depth = 0;
  for (std::size_t at = begin; at < end && !halted();) {
    const char c = text_[at];
    ++at;
    if (c == '(') {
      ++depth;
    } else if (c == ')') {
      if (--depth < 0) return false;
    } else if (c == '\\') {
      if (at < end) ++at;
    } else if (c == '\'') {
      while (at < end && text_[at] != '\'') ++at;
      if (at < end) ++at;
    } else if (c == '"') {
      if (!skip_nested(at, '"', {})) return false;
    }
  }
  return depth == 0;
}

}  // namespace gibbous::command
