// Parser: simple commands, their assignments and arrays, and function definitions that begin like
// one.
#include <utility>

#include "runtime/command/characters.h"
#include "runtime/command/parser.h"

namespace gibbous::command {

void Parser::finish(Node& node, std::size_t begin) {
  node.range = source_.range(begin, read_until_ > begin ? read_until_ : begin);
}

// Returns true for a single word without anything else.
bool Parser::stands_alone(const Node& node) {
  return node.kind == Node::Kind::kSimple && node.words.size() == 1 && node.assignments.empty() &&
         node.redirections.empty();
}

// With `may_be_name`, takes only the first word if a compound command follows it.
std::unique_ptr<Node> Parser::simple(bool may_be_name) {
  auto node = make(Node::Kind::kSimple);
  peek();
  const std::size_t begin = at_;
  while (!halted()) {
    skip_blanks();
    if (may_be_name && stands_alone(*node) && at_compound()) break;
    if (redirection(*node)) continue;
    const int c = peek();
    if (c == '(' && node->words.size() == 1 && node->assignments.empty()) {
      auto function = function_behind(*node);
      finish(*function, begin);
      return function;
    }
    if (c == '(') fail_here("");
    if (!at_word_start()) break;
    if (node->words.empty() && assignment(*node)) continue;
    WordStyle style;
    style.command = node->words.empty();
    style.arrays = !style.command;
    node->words.push_back(read_word(style));
    node->has_words = true;
  }
  finish(*node, begin);
  return node;
}

// `name` was read and a ( follows it.
std::unique_ptr<Node> Parser::function_behind(Node& simple) {
  auto node = make(Node::Kind::kFunction);
  for (const Part& part : simple.words.front().parts) node->name += part.text;
  advance();
  skip_blanks();
  if (peek() == ')') {
    advance();
    skip_newlines();
  } else {
    fail_here("')'");
  }
  // bash refuses redirections before the parentheses; they are kept.
  node->redirections = std::move(simple.redirections);
  for (PendingBody& body : pending_) {
    if (body.node == &simple) body.node = node.get();
  }
  node->children.push_back(function_body());
  return node;
}

std::unique_ptr<Node> Parser::function_body() {
  if (auto body = compound()) return body;
  if (!bash()) return command();
  fail_here("the body of a function");
  return make(Node::Kind::kList);
}

// Takes name=, name+= or name[...]=. Returns false, and takes nothing, if there is none. A word
// that begins with a subscript containing blanks counts as an ordinary word.
bool Parser::assignment(Node& node) {
  peek();
  const std::size_t begin = at_;
  std::size_t at = at_;
  int c = character_behind(at);
  if (!is_name_start(c)) return false;
  Assignment assignment;
  for (; is_name(c); c = character_behind(at)) {
    assignment.name += static_cast<char>(c);
    at = after(at);
  }
  std::size_t open = kNowhere;
  std::size_t close = kNowhere;
  if (c == '[' && bash()) {
    open = at;
    close = matched_end(open + 1, '[', ']', braces_or_subscript(false));
    if (close == kNowhere) return true;
    at = after(close);
    c = character_behind(at);
  }
  if (c == '+' && bash()) {
    assignment.append = true;
    at = after(at);
    c = character_behind(at);
  }
  if (c != '=') return open != kNowhere && subscripted_word(node, open, close);
  if (!count()) return true;
  if (open != kNowhere) {
    assignment.subscripted = true;
    arithmetic_pieces(assignment.subscript, open + 1, close);
  }
  at_ = at;
  if (halted()) return true;
  advance();
  assigned_value(assignment);
  assignment.range = source_.range(begin, read_until_);
  node.assignments.push_back(std::move(assignment));
  return true;
}

void Parser::assigned_value(Assignment& assignment) {
  peek();
  const std::size_t begin = at_;
  if (peek() == '(' && bash()) {
    assignment.array = true;
    array_elements(assignment.elements);
    if (at_word_start()) {
      complain(begin, at_, "text after the ')' of an array");
    }
  }
  WordStyle style;
  style.assigned = true;
  style.braces = false;
  style.tilde = !assignment.array;
  const std::size_t end = read_until_;
  assignment.value = read_word(style);
  if (assignment.value.parts.empty()) {
    // A continuation may follow an empty value.
    assignment.value.range = source_.range(begin, begin);
    read_until_ = end;
  }
}

// a[x y]z in command position is one word, because bash looks for the ] first.
bool Parser::subscripted_word(Node& node, std::size_t open, std::size_t close) {
  bool ordinary = true;
  for (std::size_t at = open; at < close; ++at) {
    ordinary = ordinary && !is_metacharacter(static_cast<unsigned char>(text_[at]));
  }
  if (ordinary) return false;
  if (!count()) return true;
  Word word;
  const std::size_t begin = at_;
  add_text(word.parts, text_.substr(begin, open - begin), false, begin, open);
  if (Part* part = add_part(word.parts, Part::Kind::kGlob, false, open, open + 1)) part->text = "[";
  {
    const Bounds bounds(*this, open + 1, close);
    WordStyle inside;
    inside.bounded = true;
    inside.braces = inside.tilde = false;
    unquoted(word.parts, inside);
  }
  at_ = close;
  WordStyle style;
  style.patterns = style.tilde = false;
  if (!halted()) unquoted(word.parts, style);
  word.range = source_.range(begin, read_until_);
  node.words.push_back(std::move(word));
  node.has_words = true;
  return true;
}

// Takes ( ) and the words in it.
void Parser::array_elements(std::vector<Word>& elements) {
  const Level level(*this);
  const std::size_t open = at_;
  advance();
  while (!halted()) {
    skip_blanks();
    const int c = peek();
    if (c == ')') {
      advance();
      return;
    }
    if (c == kEnd) {
      fail(open, at_, "no closing ')' of an array");
    } else if (c == '\n') {
      if (!pending_.empty()) complain(at_, at_ + 1, "a here-document before an open array");
      consume_newline();
    } else if (at_word_start()) {
      elements.push_back(array_element());
    } else {
      fail_here("a word or ')'");
    }
  }
}

Word Parser::array_element() {
  WordStyle style;
  peek();
  const std::size_t begin = at_;
  if (peek() != '[') return read_word(style);
  const std::size_t close = matched_end(begin + 1, '[', ']', braces_or_subscript(false));
  if (close == kNowhere) return {};
  bool ordinary = true;
  for (std::size_t at = begin; at < close; ++at) {
    ordinary = ordinary && !is_metacharacter(static_cast<unsigned char>(text_[at]));
  }
  std::size_t behind = after(close);
  int c = character_behind(behind);
  if (c == '+') {
    behind = after(behind);
    c = character_behind(behind);
  }
  if (c != '=' && ordinary) return read_word(style);
  Word word;
  if (!count()) return word;
  if (c == '=') {
    add_text(word.parts, "[", false, begin, begin + 1);
  } else if (Part* part = add_part(word.parts, Part::Kind::kGlob, false, begin, begin + 1)) {
    part->text = "[";
  }
  if (c == '=') {
    arithmetic_pieces(word.parts, begin + 1, close);
  } else {
    const Bounds bounds(*this, begin + 1, close);
    WordStyle inside;
    inside.bounded = true;
    inside.braces = inside.tilde = false;
    unquoted(word.parts, inside);
  }
  if (!halted()) {
    at_ = close;
    advance();
    add_text(word.parts, "]", false, close, close + 1);
    if (c == '=') {
      peek();
      add_text(word.parts, slice(at_, behind + 1), false, at_, behind + 1);
      at_ = behind;
      advance();
      style.assigned = true;
      style.braces = false;
    }
    unquoted(word.parts, style);
  }
  word.range = source_.range(begin, read_until_);
  return word;
}

}  // namespace gibbous::command
