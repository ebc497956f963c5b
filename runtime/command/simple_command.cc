// Parser: simple commands, their assignments and arrays, and function definitions that begin like
// one.
#include <algorithm>
#include <utility>

#include "runtime/command/characters.h"
#include "runtime/command/parser.h"

namespace gibbous::command {

void Parser::finish(Node& node, std::size_t begin) {
  if (!source_.rewritten) node.begin = begin;
}

std::unique_ptr<Node> Parser::simple() {
  auto node = make(Node::Kind::kSimple);
  peek();
  const std::size_t begin = at_;
  while (!halted()) {
    skip_blanks();
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
  std::size_t at = at_;
  int c = character_behind(at);
  if (!is_name_start(c)) return false;
  Assignment assignment;
  for (; is_name(c); c = character_behind(at)) {
    assignment.name += static_cast<char>(c);
    ++at;
  }
  std::size_t open = kNowhere;
  std::size_t close = kNowhere;
  if (c == '[' && bash()) {
    open = at;
    close = matched_end(open + 1, '[', ']', braces_or_subscript(false));
    if (close == kNowhere) return true;
    at = close + 1;
    c = character_behind(at);
  }
  if (c == '+' && bash()) {
    assignment.append = true;
    ++at;
    c = character_behind(at);
  }
  if (c != '=') {
    if (open != kNowhere) check_subscript(open, close);
    return false;
  }
  if (!count()) return true;
  if (open != kNowhere) {
    assignment.subscripted = true;
    arithmetic_pieces(assignment.subscript, open + 1, close);
  }
  at_ = at;
  if (halted()) return true;
  advance();
  assigned_value(assignment);
  node.assignments.push_back(std::move(assignment));
  return true;
}

void Parser::assigned_value(Assignment& assignment) {
  peek();
  if (peek() == '(' && bash()) {
    assignment.array = true;
    array_elements(assignment.elements);
    if (at_word_start()) {
      complain("text after the ')' of an array");
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
    read_until_ = end;
  }
}

// bash looks for the ] first, so that blanks and comments do not end the word, and runs what is
// quoted in it.
void Parser::check_subscript(std::size_t open, std::size_t close) {
  const std::string_view inside = text_.substr(open, close - open);
  const auto is_special = [](char each) {
    return each == '`' || is_metacharacter(static_cast<unsigned char>(each));
  };
  if (std::any_of(inside.begin(), inside.end(), is_special))
    complain("a subscript with blanks or operators");
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
      fail(open, "no closing ')' of an array");
    } else if (c == '\n') {
      if (!pending_.empty()) complain("a here-document before an open array");
      consume_newline();
    } else if (at_word_start()) {
      const std::size_t close =
          c == '[' ? matched_end(at_ + 1, '[', ']', braces_or_subscript(false)) : at_;
      if (close == kNowhere) return;
      check_subscript(at_, close);
      elements.push_back(read_word({}));
    } else {
      fail_here("a word or ')'");
    }
  }
}

}  // namespace gibbous::command
