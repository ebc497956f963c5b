// Visits everything in a syntax tree: for the tests of the parser and for its fuzzer.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runtime/command/syntax.h"

namespace gibbous::command::testing {

struct Visitor {
  std::function<void(const Node&)> node = [](const Node&) {};
  std::function<void(const Word&)> word = [](const Word&) {};
  std::function<void(const Part&)> part = [](const Part&) {};
};

inline void walk(const Node& node, const Visitor& visitor);

inline void walk(const std::vector<Part>& parts, const Visitor& visitor) {
  for (const Part& part : parts) {
    visitor.part(part);
    walk(part.operand, visitor);
    if (part.script) walk(*part.script, visitor);
  }
}

inline void walk(const Word& word, const Visitor& visitor) {
  visitor.word(word);
  walk(word.parts, visitor);
}

inline void walk(const Node& node, const Visitor& visitor) {
  visitor.node(node);
  for (const Assignment& assignment : node.assignments) {
    walk(assignment.subscript, visitor);
    walk(assignment.value, visitor);
    for (const Word& element : assignment.elements) walk(element, visitor);
  }
  for (const Word& word : node.words) walk(word, visitor);
  for (const auto& patterns : node.patterns) {
    for (const Word& word : patterns) walk(word, visitor);
  }
  for (const Redirection& redirection : node.redirections) walk(redirection.target, visitor);
  walk(node.arithmetic, visitor);
  for (const auto& child : node.children) walk(*child, visitor);
}

// The text of a word of which nothing has to be expanded; "$" otherwise.
inline std::string literal(const Word& word) {
  std::string text;
  for (const Part& part : word.parts) {
    const bool expands = part.kind == Part::Kind::kParameter || part.kind == Part::Kind::kCommand ||
                         part.kind == Part::Kind::kProcess || part.kind == Part::Kind::kArithmetic;
    if (expands) return "$";
    text += part.kind == Part::Kind::kTilde ? "~" + part.text : part.text;
  }
  return text;
}

// The first words of all simple commands.
inline std::vector<std::string> command_names(const Node& root) {
  std::vector<std::string> names;
  Visitor visitor;
  visitor.node = [&names](const Node& node) {
    if (node.kind == Node::Kind::kSimple && !node.words.empty()) {
      names.push_back(literal(node.words.front()));
    }
  };
  walk(root, visitor);
  return names;
}

}  // namespace gibbous::command::testing
