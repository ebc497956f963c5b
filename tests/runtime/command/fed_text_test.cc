// What the line itself feeds a command.
#include <memory>
#include <string>
#include <vector>

#include "runtime/command/analyse.h"
#include "tests/runtime/command/differential/by_hand.h"
#include "tests/support/catch.h"

namespace gibbous::command {
namespace {

// The commands called `last` are looked at.
SimpleCommand last_of(const std::string& line) {
  static const auto kKnowledge = testing::by_hand();
  Place place;
  place.workspace = place.cwd = "/ws";
  place.home = "/h";
  const Facts facts = analyse(line, place, *kKnowledge);
  for (const SimpleCommand& command : facts.commands)
    if (command.program == "last") return command;
  FAIL("no such command in " << line);
  return {};
}

TEST_CASE("a command knows the text that the line feeds it, if some of it is unknown") {
  CHECK(last_of("last <<< \"a $NAME\"").unknown_input.find("$NAME") != std::string::npos);
  CHECK(last_of("last <<E\n$NAME\nE").unknown_input.find("$NAME") != std::string::npos);
  CHECK(last_of("cat <<E | last\n$NAME\nE").unknown_input.find("$NAME") != std::string::npos);
  CHECK(last_of("while last; do :; done <<< $NAME").unknown_input == "$NAME");
  CHECK(last_of("last <<'E'\n$NAME\nE").unknown_input.empty());
  CHECK(last_of("last <<< known").unknown_input.empty());
  CHECK(last_of("last < $NAME").unknown_input.empty());
}

bool sets_guarded(const std::string& line) {
  auto knowledge = std::make_shared<Knowledge>(*testing::by_hand());
  knowledge->variables.push_back({"GUARDED", false, nullptr});
  Place place;
  place.workspace = place.cwd = "/ws";
  const Facts facts = analyse(line, place, *knowledge);
  for (const DoubtFact& doubt : facts.doubts)
    if (doubt.doubt == Doubt::kExecutingVariable) return true;
  return false;
}

TEST_CASE(
    "arithmetic, coproc and redirections may set a variable that makes programs run something") {
  for (const char* line :
       {"((GUARDED=1))", "((GUARDED++))", "echo $((GUARDED += 1))", "let GUARDED=1",
        "let 'a=1, GUARDED=2'", "for ((GUARDED=0; ; )); do ls; done", "coproc GUARDED { ls; }",
        "ls {GUARDED}>x", "declare -i a=GUARDED=1", "a[GUARDED=1]=2"}) {
    INFO(line);
    CHECK(sets_guarded(line));
  }
  for (const char* line : {"((GUARDED == 1))", "((a=1))", "let a=1", "coproc a { ls; }", "ls {a}>x",
                           "declare -i a=1", "echo GUARDED=1"}) {
    INFO(line);
    CHECK_FALSE(sets_guarded(line));
  }
}

}  // namespace
}  // namespace gibbous::command
