// What the line itself feeds a command.
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

}  // namespace
}  // namespace gibbous::command
