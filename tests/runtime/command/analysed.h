// Questions of tests about the facts of a line, in a place and with knowledge made for them.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "runtime/command/analyse.h"
#include "tests/runtime/command/differential/by_hand.h"
#include "tests/support/catch.h"

namespace gibbous::command::testing {

using Words = std::vector<std::string>;

inline Place place() {
  Place made;
  made.workspace = "/ws";
  made.cwd = "/ws";
  made.home = "/home/u";
  return made;
}

inline const Knowledge& knowledge() {
  static const auto made = by_hand();
  return *made;
}

inline Facts facts(const std::string& line) {
  return analyse(line, place(), knowledge());
}

// "rm -r /x" for each command; what is not known stands as it was written.
inline Words commands(const Facts& facts) {
  Words all;
  for (const SimpleCommand& command : facts.commands) {
    std::string text;
    for (const Value& word : command.argv) text += (text.empty() ? "" : " ") + word.text;
    all.push_back(text);
  }
  return all;
}
inline Words commands(const std::string& line) {
  return commands(facts(line));
}

inline const SimpleCommand& command(const Facts& facts, const std::string& program) {
  const auto found =
      std::find_if(facts.commands.begin(), facts.commands.end(),
                   [&](const SimpleCommand& each) { return each.program == program; });
  REQUIRE(found != facts.commands.end());
  return *found;
}

inline bool has(const Facts& facts, Doubt doubt) {
  return std::any_of(facts.doubts.begin(), facts.doubts.end(),
                     [&](const DoubtFact& each) { return each.doubt == doubt; });
}
inline bool doubted(const std::string& line, Doubt doubt) {
  return has(facts(line), doubt);
}

// The paths that are touched in this way, in order.
inline Words paths(const Facts& facts, AccessKind kind) {
  Words all;
  for (const SimpleCommand& command : facts.commands) {
    for (const Access& access : command.accesses)
      if (access.kind == kind) all.push_back(access.path);
  }
  return all;
}
inline Words removed(const std::string& line) {
  return paths(facts(line), AccessKind::kRemove);
}
inline Words written(const std::string& line) {
  return paths(facts(line), AccessKind::kWrite);
}

inline PathClasses classes(const std::string& line) {
  const Facts found = facts(line);
  REQUIRE(!found.commands.empty());
  REQUIRE(!found.commands.back().accesses.empty());
  return found.commands.back().accesses.back().classes;
}

}  // namespace gibbous::command::testing
