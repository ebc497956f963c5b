// Facts, values and rules made by hand: what the analyser and the Lua reader would give.
#pragma once

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/rules/rules.h"
#include "tests/support/catch.h"

namespace by_hand {

using gibbous::Result;
using gibbous::Status;
using gibbous::command::Access;
using gibbous::command::AccessKind;
using gibbous::command::Doubt;
using gibbous::command::Facts;
using gibbous::command::Knowledge;
using gibbous::command::Nesting;
using gibbous::command::ProgramSpec;
using gibbous::command::SimpleCommand;
using gibbous::command::Value;
using gibbous::rules::Decision;
using gibbous::rules::Outcome;
using gibbous::rules::Pattern;
using gibbous::rules::Rule;
using gibbous::rules::RuleSet;
using gibbous::rules::Step;
using gibbous::rules::TestFunction;

// "$name" is an unquoted unknown, "'$name'" (in single quotes) a quoted one, * a glob.
inline Value value(const std::string& written) {
  Value made;
  bool quoted = false;
  for (std::size_t i = 0; i < written.size(); ++i) {
    const char letter = written[i];
    const auto begin = static_cast<std::uint32_t>(made.text.size());
    if (letter == '\'') {
      quoted = !quoted;
      made.quoted = true;
    } else if (letter == '*') {
      made.text += letter;
      made.holes.push_back({Value::Hole::Kind::kGlob, true, begin, begin + 1});
    } else if (letter == '$') {
      made.text += letter;
      while (i + 1 < written.size() && std::isalpha(written[i + 1]) != 0) made.text += written[++i];
      const auto end = static_cast<std::uint32_t>(made.text.size());
      made.holes.push_back({Value::Hole::Kind::kUnknown, !quoted, begin, end});
    } else {
      made.text += letter;
    }
  }
  return made;
}

// Words between spaces; what begins with a dash is an option (until --), the rest are operands.
inline SimpleCommand command(const std::string& line) {
  SimpleCommand made;
  bool ended = false;
  for (std::size_t begin = 0; begin < line.size();) {
    const std::size_t end = std::min(line.find(' ', begin), line.size());
    const auto index = static_cast<int>(made.argv.size());
    made.argv.push_back(value(line.substr(begin, end - begin)));
    const std::string& text = made.argv.back().text;
    begin = end + 1;
    if (index == 0) continue;
    if (text == "--") {
      ended = true;
    } else if (!ended && text.size() > 1 && text.front() == '-') {
      made.options.push_back(index);
    } else {
      made.operands.push_back(index);
    }
  }
  if (!made.argv.empty()) {
    made.program_word = made.argv.front();
    if (made.program_word.literal()) made.program = made.program_word.text;
  }
  return made;
}

inline Facts facts(std::vector<SimpleCommand> commands) {
  Facts made;
  made.commands = std::move(commands);
  return made;
}
inline Facts facts(const std::string& line) {
  return facts({command(line)});
}

inline Access access(AccessKind kind, gibbous::command::PathClasses classes,
                     const std::string& path = "/p") {
  Access made;
  made.kind = kind;
  made.classes = made.own = classes;
  made.path = path;
  return made;
}

inline Pattern pattern(const std::string& text) {
  auto compiled = Pattern::compile(text);
  INFO("pattern: " << text);
  REQUIRE(compiled);
  return compiled.value();
}
inline std::vector<Pattern> patterns(std::initializer_list<const char*> texts) {
  std::vector<Pattern> made;
  for (const char* text : texts) made.push_back(pattern(text));
  return made;
}

inline Rule rule(const std::string& id, Decision decision) {
  Rule made;
  made.id = id;
  made.decision = decision;
  made.reason = "A reason.";
  made.file = "rules.lua";
  made.line = 7;
  made.match.push_back({"example", {}, "", ""});
  return made;
}
inline Rule of_program(const std::string& id, Decision decision, const char* program) {
  Rule made = rule(id, decision);
  made.programs = patterns({program});
  return made;
}

inline std::shared_ptr<const RuleSet> rule_set(
    std::vector<Rule> rules, std::shared_ptr<const Knowledge> knowledge = nullptr) {
  if (knowledge == nullptr) knowledge = std::make_shared<const Knowledge>();
  auto created = RuleSet::create(std::move(rules), std::move(knowledge));
  INFO(created.status().message());
  REQUIRE(created);
  return created.value();
}

// Whether a rule matches the one command of `facts`: with and without a trace.
inline bool is_matched(const Rule& rule, const Facts& facts,
                       std::shared_ptr<const Knowledge> knowledge = nullptr) {
  const auto set = rule_set({rule}, std::move(knowledge));
  std::vector<Step> steps;
  const bool plain = !set->judge(facts, {}).matched.empty();
  const bool traced = !set->judge(facts, {}, &steps).matched.empty();
  REQUIRE(plain == traced);
  return plain;
}

inline std::vector<std::string> ids(const Outcome& outcome) {
  std::vector<std::string> found;
  for (const Rule* rule : outcome.matched) found.push_back(rule->id);
  return found;
}

}  // namespace by_hand
