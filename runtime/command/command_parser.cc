// Parser: lists and pipelines, and the choice between kinds of commands.
#include <algorithm>
#include <utility>

#include "runtime/command/characters.h"
#include "runtime/command/parser.h"

namespace gibbous::command {
namespace {

// Returns true where a list ends although a command could begin.
bool is_closing(std::string_view reserved) {
  constexpr std::string_view kClosing[] = {"then", "do", "done", "fi", "elif", "else", "esac", "}"};
  return std::find(std::begin(kClosing), std::end(kClosing), reserved) != std::end(kClosing);
}

}  // namespace

std::unique_ptr<Node> Parser::list() {
  auto node = make(Node::Kind::kList);
  parse_list(*node);
  return node;
}

// Reads up to a token that cannot begin a command; the caller checks whether it may stand there.
void Parser::parse_list(Node& list) {
  list.kind = Node::Kind::kList;
  peek();
  bool separated = true;
  while (!halted()) {
    if (separated) skip_newlines();
    skip_blanks();
    const int c = peek();
    if (c == kEnd || c == ')') break;
    if (is_closing(reserved_word())) break;
    const bool ends_clause = c == ';' && (second() == ';' || second() == '&');
    if (ends_clause) break;
    if (!separated) {
      fail_here("';' or the end of the line");
      break;
    }
    list.children.push_back(pipeline());
    list.operators.push_back(Node::Operator::kSequence);
    if (!list_operator(list, separated)) break;
  }
  const bool waits = !list.operators.empty() && !halted() &&
                     (list.operators.back() == Node::Operator::kAnd ||
                      list.operators.back() == Node::Operator::kOr);
  if (waits) fail_here("a command");
}

// Takes the operator between two commands; returns false at the end of the list.
bool Parser::list_operator(Node& list, bool& separated) {
  skip_blanks();
  const int c = peek();
  separated = true;
  if (c == '\n') {
    consume_newline();
    return true;
  }
  const int next = second();
  if (c == ';') {
    if (next == ';' || next == '&') return false;
    advance();
    return true;
  }
  if (c == '&' && next != '&') {
    advance();
    list.operators.back() = Node::Operator::kBackground;
    return true;
  }
  if ((c == '&' || c == '|') && next == c) {
    advance();
    peek();
    advance();
    list.operators.back() = c == '&' ? Node::Operator::kAnd : Node::Operator::kOr;
    return true;
  }
  separated = false;
  return c != kEnd && c != ')';
}

std::unique_ptr<Node> Parser::pipeline() {
  peek();
  const std::size_t begin = at_;
  bool prefixed = false;
  while (!halted()) {
    skip_blanks();
    if (reserved_word() == "time") {
      const std::size_t place = at_;
      const std::size_t read = read_until_;
      take_reserved("time");
      skip_blanks();
      if (state_.dialect == Dialect::kPosixBash && peek() == '-') {  // the program
        at_ = place;
        read_until_ = read;
        break;
      }
      for (; peek() == '-'; skip_blanks()) (void)read_word({});  // -p, --
    } else if (!take_reserved("!")) {
      break;
    }
    prefixed = true;
  }
  const int c = peek();
  const bool nothing = prefixed && (c == kEnd || c == '\n' || c == ';' || c == ')' || c == '&');
  auto first = nothing ? make(Node::Kind::kSimple) : command();
  skip_blanks();
  if (!prefixed && (peek() != '|' || second() == '|')) return first;
  auto node = make(Node::Kind::kPipeline);
  node->children.push_back(std::move(first));
  while (!halted() && peek() == '|' && second() != '|') {
    advance();
    if (peek() == '&' && bash()) advance();  // |&
    skip_newlines();
    // `time` and `!` are not reserved here, but a subshell may follow a `!`.
    node->children.push_back(reserved_word() == "!" ? pipeline() : command());
    skip_blanks();
  }
  finish(*node, begin);
  return node;
}

// Parses a command that is not a simple one. Returns null, and takes nothing, if none begins here.
std::unique_ptr<Node> Parser::compound() {
  peek();
  const std::size_t begin = at_;
  std::unique_ptr<Node> node;
  if (peek() == '(') {
    const Level level(*this);
    node = parentheses();
  } else {
    const std::string_view word = reserved_word();
    if (word.empty()) return nullptr;
    const Level level(*this);
    if (word == "{") {
      node = group();
    } else if (word == "[[") {
      node = test_command();
    } else if (word == "if") {
      node = if_command();
    } else if (word == "while" || word == "until") {
      node = while_command();
    } else if (word == "for" || word == "select") {
      node = for_command();
    } else if (word == "case") {
      node = case_command();
    } else {
      return nullptr;
    }
  }
  redirections(*node);
  finish(*node, begin);
  return node;
}

std::unique_ptr<Node> Parser::command() {
  const Level level(*this);
  skip_blanks();
  if (auto node = compound()) return node;
  const std::string_view word = reserved_word();
  if (word == "function") return function_command();
  if (word == "coproc") {
    complain("a coprocess");
    take_reserved("coproc");
    return command();
  }
  const int c = peek();
  const bool begins =
      at_word_start() || c == '<' || c == '>' || (c == '&' && second() == '>' && !dash());
  if (!begins || is_closing(word)) fail_here("a command");
  return simple();
}

}  // namespace gibbous::command
