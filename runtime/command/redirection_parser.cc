// Parser: redirections before, between and after the words of a command.
#include <algorithm>
#include <limits>
#include <utility>

#include "runtime/command/characters.h"
#include "runtime/command/parser.h"

namespace gibbous::command {
namespace {

constexpr std::uint64_t kTooLarge = std::uint64_t{std::numeric_limits<int>::max()} + 1;

}  // namespace

void Parser::redirections(Node& node) {
  while (!halted()) {
    skip_blanks();
    if (!redirection(node)) return;
  }
}

// Returns false, and takes nothing, if no redirection stands here.
bool Parser::redirection(Node& node) {
  if (peek() == kEnd) return false;
  Redirection redirection;
  const std::size_t begin = at_;
  std::size_t at = at_;
  int c = character_behind(at);
  if (is_digit(c)) {
    std::uint64_t number = 0;
    for (; is_digit(c); c = character_behind(at)) {
      number = number * 10 + static_cast<std::uint64_t>(c - '0');
      if (number > kTooLarge) number = kTooLarge;
      ++at;
    }
    if (dash() && at > begin + 1) return false;  // 10> is a word
    // bash ignores a number that is too large.
    if (number < kTooLarge) redirection.fd = static_cast<int>(number);
  } else if (c == '{' && bash()) {
    ++at;
    c = character_behind(at);
    if (!is_name_start(c)) return false;
    for (; is_name(c); c = character_behind(at)) {
      redirection.fd_variable += static_cast<char>(c);
      ++at;
    }
    if (c != '}') return false;
    ++at;
    c = character_behind(at);
  }
  const bool plain = at == at_;
  if (c == '<' || c == '>') {
    if (begins_process(c, at)) return false;
  } else if (c == '&' && plain && !dash()) {
    std::size_t next = at + 1;
    if (character_behind(next) != '>') return false;
  } else {
    return false;
  }
  at_ = at;
  if (!count()) return true;
  bool strip_tabs = false;
  const bool here = redirection_operator(redirection, strip_tabs);
  skip_blanks();
  if (here) {
    here_document(node, std::move(redirection), strip_tabs);
    return true;
  }
  if (!at_word_start()) {
    fail_here("the target of a redirection");
    return true;
  }
  redirection.target = read_word({});
  // bash expands the word after >& again when it turns out to be a file name, so quotes do not keep
  // a substitution in it from running.
  const bool again =
      redirection.op == Redirection::Op::kDupOut &&
      std::any_of(
          redirection.target.parts.begin(), redirection.target.parts.end(), [](const Part& part) {
            return part.kind == Part::Kind::kText && part.text.find_first_of("$`<>") != kNowhere;
          });
  if (again) complain("the word after >& is expanded twice");
  node.redirections.push_back(std::move(redirection));
  return true;
}

// Takes the operator; returns true for << and <<-.
bool Parser::redirection_operator(Redirection& redirection, bool& strip_tabs) {
  using Op = Redirection::Op;
  const int first = peek();
  advance();
  const int c = peek();
  const auto take = [&](Op op) {
    redirection.op = op;
    advance();
  };
  if (first == '&') {
    take(Op::kBoth);
    if (peek() == '>' && bash()) advance();
    return false;
  }
  if (first == '>') {
    redirection.op = Op::kWrite;
    if (c == '>' || c == '|') advance();
    if (c == '&') take(Op::kDupOut);
    return false;
  }
  redirection.op = Op::kRead;
  if (c == '>') take(Op::kReadWrite);
  if (c == '&') take(Op::kDupIn);
  if (c != '<') return false;
  take(Op::kHere);
  if (peek() == '<') {
    if (!bash()) fail_here("");
    take(Op::kHereString);
    return false;
  }
  if (peek() == '-') {
    strip_tabs = true;
    advance();
  }
  return true;
}

}  // namespace gibbous::command
