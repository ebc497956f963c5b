// Parser: every form of ${...}. It finds the end first (matched_pair.cc), then reads the inside by
// the rules of the operator.
#include <utility>

#include "runtime/command/characters.h"
#include "runtime/command/parser.h"

namespace gibbous::command {

void Parser::braced(std::vector<Part>& parts, bool quoted) {
  const Level level(*this);
  const std::size_t begin = at_;
  advance();
  peek();
  const std::size_t inside = at_ + 1;
  PairStyle style = braces_or_subscript(quoted);
  style.first_close = true;
  const std::size_t end = matched_end(inside, '{', '}', style);
  if (end == kNowhere) return;
  Part* part = add_part(parts, Part::Kind::kParameter, quoted, begin, end + 1);
  if (part == nullptr) return;
  Part read = std::move(*part);
  parts.pop_back();
  {
    const Bounds bounds(*this, inside, end);
    braced_content(read);
    contain(*this, read.operand, inside, end);
  }
  parts.push_back(std::move(read));
  at_ = end;
  advance();
}

// Returns true if only a parameter stands at `at`; a # before it then asks for its length.
bool Parser::is_length(std::size_t at) {
  int c = character_behind(at);
  if (is_special_parameter(c)) {
    ++at;
    return character_behind(at) == kEnd;
  }
  if (!is_name(c)) return false;
  while (is_name(c)) {
    ++at;
    c = character_behind(at);
  }
  return c == kEnd || c == '[';
}

void Parser::braced_name(Part& part) {
  int c = peek();
  if (is_name(c)) {
    const bool digits = is_digit(c);
    for (; digits ? is_digit(c) : is_name(c); c = peek()) {
      part.text += static_cast<char>(c);
      advance();
    }
  } else if (is_special_parameter(c)) {
    part.text = static_cast<char>(c);
    advance();
  }
}

void Parser::braced_content(Part& part) {
  const std::size_t begin = at_;
  const int first = peek();
  if (first == '#' && is_length(at_ + 1)) {
    part.op = "#";
    advance();
  } else if (first == '!') {
    const int c = second();
    if (is_name(c) || c == '@' || c == '*' || c == '#' || c == '?' || c == '$') {
      part.op = "!";
      advance();
    }
  }
  braced_name(part);
  if (!bash() && (part.op == "!" || peek() == '['))
    complain("${ } is used in a way that only bash knows");
  if (part.text.empty()) {
    // Other shells, and later versions of bash, have ${ command; }.
    complain("no parameter is named inside ${ }");
    if (is_blank(first) || first == '\n' || first == '|') {
      std::shared_ptr<Node> script = script_of(source_, first == '|' ? at_ + 1 : at_, end_);
      add_script(part.operand, Part::Kind::kCommand, part.quoted, begin, end_, std::move(script));
    } else {
      double_pieces(part.operand, Double::kBraced);
    }
    return;
  }
  if (peek() == '[') {
    part.subscripted = true;
    const std::size_t inside = at_ + 1;
    const std::size_t end = matched_end(inside, '[', ']', braces_or_subscript(false));
    if (end == kNowhere) return;
    {
      const Bounds bounds(*this, inside, end);
      double_pieces(part.operand, Double::kArithmetic);
    }
    at_ = end;
    advance();
  }
  if (peek() != kEnd) braced_operator(part);
}

void Parser::braced_operator(Part& part) {
  const bool indirect = part.op == "!";
  const int c = peek();
  const int next = second();
  const bool substring =
      c == ':' &&
      (next == kEnd || std::string_view("-=?+").find(static_cast<char>(next)) == kNowhere);
  if (dash() ? substring || c == '/' || c == '^' || c == ',' || c == '@'
             : !bash() && (c == '^' || c == ',' || c == '@'))
    complain("${ } has an operator that only bash knows");
  std::string op(1, static_cast<char>(c));
  if (indirect && (c == '*' || c == '@') && next == kEnd) {
    part.op = "!*";
    advance();
    return;
  }
  const std::string_view once = "-=?+@";
  const std::string_view twice = "%#/^,~";
  const bool colon = c == ':';
  const bool follows = next != kEnd && next == c;
  const bool anchored = c == '/' && (next == '#' || next == '%');
  const bool defaulted =
      colon && next != kEnd && std::string_view("-=?+").find(static_cast<char>(next)) != kNowhere;
  const bool doubled = twice.find(op[0]) != kNowhere && (follows || anchored);
  if (!colon && once.find(op[0]) == kNowhere && twice.find(op[0]) == kNowhere) {
    complain("what stands here in ${ } is not understood");
    double_pieces(part.operand, Double::kBraced);
    return;
  }
  advance();
  if (doubled || defaulted) {
    op += static_cast<char>(next);
    peek();
    advance();
  }
  if (part.op == "#") complain("${# } has an operator");
  if (indirect) {
    add_text(part.operand, op, true);
  } else {
    part.op = op == "#" ? "p#" : op;
  }
  if (colon && !defaulted) {
    double_pieces(part.operand, Double::kArithmetic);
  } else if (op == "@" || twice.find(op[0]) != kNowhere) {
    // Quotes inside are quotes, even within double quotes.
    braced_operand(part, false);
  } else if (part.quoted) {
    double_pieces(part.operand, Double::kBraced);
  } else {
    braced_operand(part, true);
  }
}

void Parser::braced_operand(Part& part, bool first_tilde) {
  WordStyle style;
  style.bounded = true;
  style.braces = false;
  style.tilde = first_tilde;
  unquoted(part.operand, style);
}

}  // namespace gibbous::command
