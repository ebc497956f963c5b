// Parser: [[ ]]. Keeps its words and operators in order without interpreting them.
#include <utility>

#include "runtime/command/characters.h"
#include "runtime/command/parser.h"

namespace gibbous::command {
namespace {

bool is_text(const Word& word, std::string_view text) {
  return word.parts.size() == 1 && word.parts[0].kind == Part::Kind::kText &&
         !word.parts[0].quoted && word.parts[0].text == text;
}

}  // namespace

void Parser::test_operator(Node& node, std::string_view text) {
  Word word;
  peek();
  for (std::size_t i = 0; i < text.size(); ++i) {
    peek();
    advance();
  }
  add_text(word.parts, text, false);
  if (count()) node.words.push_back(std::move(word));
}

std::unique_ptr<Node> Parser::test_command() {
  auto node = make(Node::Kind::kTest);
  peek();
  const std::size_t open = at_;
  take_reserved("[[");
  node->has_words = true;
  bool regex = false;
  while (!halted()) {
    skip_newlines();
    const int c = peek();
    if (c == kEnd) {
      fail(open, "no closing ']]'");
    } else if (regex && (at_word_start() || c == '(' || c == '|')) {
      WordStyle style;
      style.regex = true;
      style.braces = style.patterns = false;
      node->words.push_back(read_word(style));
      regex = false;
    } else if (at_word_start()) {
      WordStyle style;
      style.braces = false;
      Word word = read_word(style);
      if (is_text(word, "]]")) return node;
      regex = is_text(word, "=~");
      node->words.push_back(std::move(word));
    } else if ((c == '&' || c == '|') && second() == c) {
      test_operator(*node, c == '&' ? "&&" : "||");
    } else if (c == '(' || c == ')' || c == '<' || c == '>') {
      const char text = static_cast<char>(c);
      test_operator(*node, std::string_view(&text, 1));
    } else {
      fail_here("a condition or ']]'");
    }
  }
  return node;
}

}  // namespace gibbous::command
