// What holds for the tree of any text, understood or not: for the tests of the parser and for its
// fuzzer.
#pragma once

#include <string>
#include <string_view>

#include "runtime/command/parse.h"
#include "tests/runtime/command/walk.h"

namespace gibbous::command::testing {

// What is wrong with `parsed`; "" if nothing is.
inline std::string tree_fault(const Parsed& parsed) {
  std::string fault;
  const auto expect = [&fault](bool holds, const char* what) {
    if (!holds && fault.empty()) fault = what;
  };
  Visitor visitor;
  visitor.part = [&](const Part& part) {
    const bool runs = part.kind == Part::Kind::kCommand || part.kind == Part::Kind::kProcess;
    expect(runs == (part.script != nullptr), "a substitution has no script");
  };
  visitor.node = [&](const Node& node) {
    using Kind = Node::Kind;
    const std::size_t children = node.children.size();
    for (const auto& child : node.children) expect(child != nullptr, "a child is null");
    switch (node.kind) {
      case Kind::kList:
        expect(node.operators.size() == children, "a list has not one operator for each child");
        break;
      case Kind::kPipeline:
        expect(children > 0, "a pipeline is empty");
        break;
      case Kind::kCase:
        expect(node.patterns.size() == children, "a case has not one pattern list for each body");
        expect(node.words.size() == 1, "a case has not one subject");
        break;
      case Kind::kIf:
      case Kind::kWhile:
        expect(children >= 2, "a condition has no body");
        break;
      case Kind::kSubshell:
      case Kind::kGroup:
      case Kind::kFor:
      case Kind::kArithmeticFor:
      case Kind::kFunction:
        expect(children == 1, "a command has not one body");
        break;
      case Kind::kSimple:
      case Kind::kTest:
      case Kind::kArithmetic:
        expect(children == 0, "a command has a body");
        break;
    }
  };
  expect(!parsed.error.over_limit || !parsed.error.message.empty(), "a limit without a message");
  expect(parsed.root.kind == Node::Kind::kList, "the root is no list");
  walk(parsed.root, visitor);
  return fault;
}

}  // namespace gibbous::command::testing
