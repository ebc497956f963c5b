// A syntax tree as one line of text, for tests to compare with.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/command/parse.h"

namespace gibbous::command::testing {

std::string render(const Node& node);

inline std::string render(const std::vector<Part>& parts) {
  std::string text;
  for (const Part& part : parts) {
    if (!text.empty()) text += ' ';
    const std::string quote = part.quoted ? "'" : "";
    switch (part.kind) {
      case Part::Kind::kText:
        text += quote + part.text + quote;
        break;
      case Part::Kind::kGlob:
        text += "glob:" + part.text;
        break;
      case Part::Kind::kTilde:
        text += "<~" + part.text + ">";
        break;
      case Part::Kind::kParameter:
        text += quote + "$" + part.text + (part.subscripted ? "[]" : "");
        if (!part.op.empty()) text += "<" + part.op + ">";
        if (!part.operand.empty()) text += "(" + render(part.operand) + ")";
        text += quote;
        break;
      case Part::Kind::kCommand:
        text += quote + "$" + render(*part.script) + quote;
        break;
      case Part::Kind::kProcess:
        text += part.text + render(*part.script);
        break;
      case Part::Kind::kArithmetic:
        text += quote + "$((" + render(part.operand) + "))" + quote;
        break;
      case Part::Kind::kBraceOpen:
        text += "<{>";
        break;
      case Part::Kind::kBraceComma:
        text += "<,>";
        break;
      case Part::Kind::kBraceClose:
        text += "<}>";
        break;
    }
  }
  return text;
}

inline std::string render(const std::vector<Word>& words) {
  std::string text;
  for (const Word& word : words) text += "[" + render(word.parts) + "]";
  return text;
}

inline std::string render(const Redirection& redirection) {
  static constexpr const char* kNames[] = {"<", ">", "<>", "<&", ">&", "&>", "<<", "<<<"};
  std::string text = " ";
  if (!redirection.fd_variable.empty()) text += "{" + redirection.fd_variable + "}";
  if (redirection.fd >= 0) text += std::to_string(redirection.fd);
  text += kNames[static_cast<std::size_t>(redirection.op)];
  return text + (redirection.literal_body ? "!" : "") + "[" + render(redirection.target.parts) +
         "]";
}

inline std::string render(const Assignment& assignment) {
  std::string text = assignment.name;
  if (assignment.subscripted) text += "[" + render(assignment.subscript) + "]";
  text += assignment.append ? "+=" : "=";
  if (assignment.array) text += "(" + render(assignment.elements) + ")";
  return text + "[" + render(assignment.value.parts) + "]";
}

inline std::string render(const Node& node) {
  static constexpr const char* kNames[] = {"",         "pipe",  "",    "sub",   "group",
                                           "if",       "while", "for", "for((", "case",
                                           "function", "test",  "(("};
  static constexpr std::string_view kOperators[] = {";", "&", "&&", "||"};
  if (node.kind == Node::Kind::kList) {
    std::string text = "(";
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      text += render(*node.children[i]);
      const bool last = i + 1 == node.children.size();
      const bool plain = node.operators[i] == Node::Operator::kSequence;
      if (last && plain) break;
      text += " ";
      text += kOperators[static_cast<std::size_t>(node.operators[i])];
      if (!last) text += " ";
    }
    return text + ")";
  }
  std::string text = kNames[static_cast<std::size_t>(node.kind)];
  if (!node.name.empty()) text += ":" + node.name;
  for (const Assignment& assignment : node.assignments) text += render(assignment);
  text += render(node.words);
  if (!node.arithmetic.empty()) text += "((" + render(node.arithmetic) + "))";
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    if (node.kind == Node::Kind::kCase) text += " " + render(node.patterns[i]);
    if (i > 0 && node.kind == Node::Kind::kPipeline) text += "|";
    const bool list = node.children[i]->kind == Node::Kind::kList;
    text += list ? render(*node.children[i]) : "{" + render(*node.children[i]) + "}";
  }
  for (const Redirection& redirection : node.redirections) text += render(redirection);
  return text;
}

// The tree of a text that is understood, or "error: " and why it is not, with what was.
inline std::string tree(std::string_view text) {
  const Parsed parsed = parse(text);
  const std::string root = render(parsed.root);
  return parsed.error.message.empty() ? root : "error: " + parsed.error.message + " " + root;
}

}  // namespace gibbous::command::testing
