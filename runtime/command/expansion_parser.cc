// Parser: expansions that begin with $ or a backtick, and <( ) and >( ).
#include <optional>
#include <utility>

#include "runtime/command/ansi_c.h"
#include "runtime/command/characters.h"
#include "runtime/command/parser.h"

namespace gibbous::command {

bool Parser::dollar(std::vector<Part>& parts, bool quoted) {
  const int c = second();
  if (c == '(') {
    command_or_arithmetic(parts, quoted);
  } else if (c == '{') {
    braced(parts, quoted);
  } else if (c == '[' && bash()) {
    arithmetic_brackets(parts, quoted);
  } else if (is_name(c) || is_special_parameter(c)) {
    name_after_dollar(parts, quoted);
  } else if (c == '"' && !quoted && bash()) {
    advance();
    peek();
    double_quoted(parts, Double::kQuotes);
  } else if (c == '\'' && !quoted && dash()) {
    complain("versions of dash differ in $'...'");
    return false;
  } else if (c == '\'' && !quoted) {
    advance();
    peek();
    const std::size_t inside = at_ + 1;
    PairStyle style;
    style.escapes = true;
    const std::size_t end = matched_end(inside, '\'', '\'', style);
    if (end == kNowhere) return true;
    const std::string_view encoded = text_.substr(inside, end - inside);
    const std::optional<std::string> decoded = decode_ansi_c(encoded);
    if (!decoded || (!bash() && encoded.find('\\') != kNowhere))
      complain("an escape in $'...' that shells differ in, or of a character code");
    add_text(parts, decoded.value_or(std::string(encoded)), true);
    at_ = end;
    advance();
  } else {
    return false;
  }
  return true;
}

void Parser::name_after_dollar(std::vector<Part>& parts, bool quoted) {
  const std::size_t begin = at_;
  advance();
  std::string name;
  int c = peek();
  const bool is_long = is_name_start(c);
  do {
    name += static_cast<char>(c);
    advance();
    c = is_long ? peek() : kEnd;
  } while (is_name(c));
  if (Part* part = add_part(parts, Part::Kind::kParameter, quoted, begin, read_until_)) {
    part->text = std::move(name);
  }
}

void Parser::arithmetic_pieces(std::vector<Part>& parts, std::size_t begin, std::size_t end) {
  const Bounds bounds(*this, begin, end);
  double_pieces(parts, Double::kArithmetic);
  contain(*this, parts, begin, end);
}

// Parses $( ) and $(( )). The text between the outermost parentheses decides which of them it is.
void Parser::command_or_arithmetic(std::vector<Part>& parts, bool quoted) {
  const std::size_t begin = at_;
  advance();
  peek();
  const std::size_t open = at_;
  if (second() != '(') {
    std::shared_ptr<Node> script = script_in_parentheses();
    add_script(parts, Part::Kind::kCommand, quoted, begin, read_until_, std::move(script));
    return;
  }
  const Level level(*this);
  const std::size_t close = matched_end(open + 1, '(', ')', arithmetic_pair());
  if (close == kNowhere) return;
  std::size_t inner = open + 1;
  character_behind(inner);
  const std::size_t last = before(close, inner);
  const std::size_t from = inner + 1;
  Parser reader(state_, source_, from, last);
  reader.decodes_quotes_ = decodes_quotes_;
  const bool closes = last > inner && text_[last] == ')';
  const bool arithmetic = closes && (!bash() || reader.is_arithmetic(from, last));
  const bool doubtful = bash() ? is_doubtful(open + 1, close) : !closes;
  if (arithmetic || doubtful) {
    Part* part = add_part(parts, Part::Kind::kArithmetic, quoted, begin, close + 1);
    if (part == nullptr) return;
    std::vector<Part> pieces;
    {
      const Bounds bounds(reader, from, last);
      reader.double_pieces(pieces, Double::kArithmetic);
      contain(reader, pieces, from, last);
    }
    part->operand = std::move(pieces);
  }
  if (doubtful) {
    complain("this may be arithmetic or a subshell");
    if (!spend_recovery()) return;
  }
  if (!arithmetic || doubtful) {
    std::shared_ptr<Node> script = script_of(source_, open + 1, close);
    add_script(parts, Part::Kind::kCommand, quoted, begin, close + 1, std::move(script));
  }
  at_ = close;
  advance();
}

void Parser::arithmetic_brackets(std::vector<Part>& parts, bool quoted) {
  const Level level(*this);
  const std::size_t begin = at_;
  advance();
  peek();
  const std::size_t inside = at_ + 1;
  const std::size_t end = matched_end(inside, '[', ']', {});
  if (end == kNowhere) return;
  Part* part = add_part(parts, Part::Kind::kArithmetic, quoted, begin, end + 1);
  if (part == nullptr) return;
  std::vector<Part> pieces;
  arithmetic_pieces(pieces, inside, end);
  part->operand = std::move(pieces);
  at_ = end;
  advance();
}

void Parser::process(std::vector<Part>& parts) {
  const std::size_t begin = at_;
  std::string kind = slice(at_, at_ + 1);
  advance();
  peek();
  std::shared_ptr<Node> script = script_in_parentheses();
  add_script(parts, Part::Kind::kProcess, false, begin, read_until_, std::move(script));
  parts.back().text = std::move(kind);
}

void Parser::backticks(std::vector<Part>& parts, bool quoted, bool strip_double_quotes) {
  const std::size_t begin = at_;
  std::string made;
  std::size_t at = begin + 1;
  std::size_t run = at;
  const auto flush = [&](std::size_t to) {
    if (to > run) made += text_.substr(run, to - run);
  };
  while (at < end_ && text_[at] != '`') {
    if (text_[at] != '\\' || at + 1 >= end_) {
      ++at;
      continue;
    }
    const char next = text_[at + 1];
    if (next == '\n') {
      flush(at);
      run = at += 2;
    } else if (next == '$' || next == '`' || next == '\\' || (next == '"' && strip_double_quotes)) {
      flush(at);
      run = at + 1;
      at += 2;
    } else {
      at += 2;
    }
  }
  if (at >= end_) {
    fail(begin, "no closing '`'");
    return;
  }
  flush(at);
  Source rewritten{made, true, {}};
  std::shared_ptr<Node> script = script_of(rewritten, 0, made.size());
  at_ = at;
  advance();
  add_script(parts, Part::Kind::kCommand, quoted, begin, at + 1, std::move(script));
}

}  // namespace gibbous::command
