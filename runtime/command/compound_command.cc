// Parser: if, while, for, select, case, ( ), { }, (( )) and functions.
#include <utility>

#include "runtime/command/characters.h"
#include "runtime/command/parser.h"

namespace gibbous::command {

// Reads (( )) if another parenthesis follows the one that closes the inner pair, and ( ) otherwise.
std::unique_ptr<Node> Parser::parentheses() {
  const std::size_t open = at_;
  if (second() == '(' && bash()) {
    std::size_t inside = open + 1;
    character_behind(inside);
    ++inside;
    const std::size_t close = matched_end(inside, '(', ')', {});
    if (close == kNowhere) return make(Node::Kind::kList);
    const std::size_t last = close + 1;
    if (last < end_ && text_[last] == ')') {
      auto node = make(Node::Kind::kArithmetic);
      arithmetic_pieces(node->arithmetic, inside, close);
      at_ = last;
      advance();
      return node;
    }
    // bash reads the bodies of inner here-documents behind everything it has read so far.
    if (text_.substr(open, last - open).find("<<") != kNowhere) {
      complain("a here-document in (( )) that is no arithmetic");
      state_.recovered = true;
    }
  }
  auto node = make(Node::Kind::kSubshell);
  advance();
  node->children.push_back(list());
  if (peek() == ')') {
    advance();
  } else if (peek() == kEnd) {
    fail(open, "no closing ')'");
  } else {
    fail_here("')'");
  }
  return node;
}

// Reads the list up to `word`, and takes the word.
std::unique_ptr<Node> Parser::list_until(std::string_view word) {
  auto node = list();
  if (!halted() && !take_reserved(word)) fail_here("'" + std::string(word) + "'");
  return node;
}

std::unique_ptr<Node> Parser::group() {
  auto node = make(Node::Kind::kGroup);
  take_reserved("{");
  node->children.push_back(list_until("}"));
  return node;
}

std::unique_ptr<Node> Parser::if_command() {
  auto node = make(Node::Kind::kIf);
  take_reserved("if");
  node->children.push_back(list_until("then"));
  while (!halted()) {
    node->children.push_back(list());
    if (take_reserved("elif")) {
      node->children.push_back(list_until("then"));
    } else if (take_reserved("else")) {
      node->children.push_back(list_until("fi"));
      return node;
    } else if (take_reserved("fi")) {
      return node;
    } else {
      fail_here("'fi'");
    }
  }
  if (node->children.size() == 1) node->children.push_back(make(Node::Kind::kList));
  return node;
}

std::unique_ptr<Node> Parser::while_command() {
  auto node = make(Node::Kind::kWhile);
  if (!take_reserved("while")) take_reserved("until");
  node->children.push_back(list_until("do"));
  node->children.push_back(list_until("done"));
  return node;
}

std::unique_ptr<Node> Parser::loop_body() {
  skip_newlines();
  if (take_reserved("do")) return list_until("done");
  if (bash() && take_reserved("{")) return list_until("}");
  fail_here("'do'");
  return make(Node::Kind::kList);
}

void Parser::arithmetic_for(Node& node) {
  advance();
  peek();
  const std::size_t inside = at_ + 1;
  const std::size_t close = matched_end(inside, '(', ')', {});
  if (close == kNowhere) return;
  at_ = close + 1;
  if (peek() != ')') {
    fail_here("'))'");
    return;
  }
  const std::size_t last = at_;
  arithmetic_pieces(node.arithmetic, inside, close);
  if (halted()) return;
  at_ = last;
  advance();
  skip_blanks();
  if (peek() == ';') advance();
}

void Parser::for_words(Node& node) {
  WordStyle name;
  name.braces = name.patterns = name.tilde = false;
  if (!at_word_start()) {
    fail_here("the name of a variable");
    return;
  }
  const Word word = read_word(name);
  for (const Part& part : word.parts) node.name += part.text;
  skip_blanks();
  if (peek() == ';' && second() != ';') {
    advance();
    return;
  }
  skip_newlines();
  if (!take_reserved("in")) return;
  node.has_words = true;
  for (skip_blanks(); at_word_start(); skip_blanks()) node.words.push_back(read_word({}));
  if (peek() == ';') {
    advance();
  } else if (peek() != '\n') {
    fail_here("';' or the end of the line");
  }
}

// for and select.
std::unique_ptr<Node> Parser::for_command() {
  auto node = make(Node::Kind::kFor);
  if (!take_reserved("for")) take_reserved("select");
  skip_blanks();
  if (bash() && peek() == '(' && second() == '(') {
    node->kind = Node::Kind::kArithmeticFor;
    arithmetic_for(*node);
  } else {
    for_words(*node);
  }
  node->children.push_back(loop_body());
  return node;
}

std::unique_ptr<Node> Parser::case_command() {
  auto node = make(Node::Kind::kCase);
  take_reserved("case");
  skip_blanks();
  if (!at_word_start()) fail_here("a word");
  WordStyle style;
  style.braces = false;
  node->words.push_back(read_word(style));
  node->has_words = true;
  skip_newlines();
  if (!take_reserved("in")) fail_here("'in'");
  while (!halted() && case_clause(*node)) {
  }
  return node;
}

// Parses one clause; returns false if esac stands there or after it.
bool Parser::case_clause(Node& node) {
  skip_newlines();
  if (take_reserved("esac")) return false;
  if (peek() == '(') advance();
  std::vector<Word> patterns;
  WordStyle style;
  style.braces = false;
  while (!halted()) {
    skip_blanks();
    if (!at_word_start()) {
      fail_here("a pattern or 'esac'");
      break;
    }
    patterns.push_back(read_word(style));
    skip_blanks();
    if (peek() != '|') break;
    advance();
  }
  if (peek() == ')') {
    advance();
  } else {
    fail_here("')' after a pattern");
  }
  node.patterns.push_back(std::move(patterns));
  node.children.push_back(list());
  if (peek() == ';') {
    advance();
    const bool both = peek() == ';';
    if (both) advance();
    if (peek() == '&' && bash()) {
      advance();
    } else if (!both) {
      fail_here("';;'");
    }
    return true;
  }
  if (!take_reserved("esac")) fail_here("';;' or 'esac'");
  return false;
}

std::unique_ptr<Node> Parser::function_command() {
  const Level level(*this);
  auto node = make(Node::Kind::kFunction);
  peek();
  const std::size_t begin = at_;
  take_reserved("function");
  skip_blanks();
  if (!at_word_start()) fail_here("the name of a function");
  WordStyle name;
  name.braces = name.tilde = name.patterns = false;
  const Word word = read_word(name);
  for (const Part& part : word.parts) node->name += part.text;
  skip_blanks();
  if (peek() == '(') {
    std::size_t inside = at_ + 1;
    while (is_blank(character_behind(inside))) ++inside;
    if (character_behind(inside) == ')') {
      at_ = inside;
      advance();
    }
  }
  skip_newlines();
  node->children.push_back(function_body());
  finish(*node, begin);
  return node;
}

}  // namespace gibbous::command
