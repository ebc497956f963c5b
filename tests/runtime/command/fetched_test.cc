// What a line brings from elsewhere before a command, and what the line itself feeds a command.
#include <memory>
#include <string>
#include <vector>

#include "runtime/command/analyse.h"
#include "tests/runtime/command/differential/by_hand.h"
#include "tests/support/catch.h"

namespace gibbous::command {
namespace {

using Texts = std::vector<std::string>;
using Fetches = ProgramSpec::Fetches;

std::shared_ptr<const ProgramSpec> fetching(Fetches fetches) {
  auto made = std::make_shared<ProgramSpec>();
  made->fetches = fetches;
  if (fetches == Fetches::kFiles) {
    made->values = {"-o"};
    AccessSpec access;
    access.kind = AccessKind::kWrite;
    Selector output;
    output.kind = Selector::Kind::kOptions;
    output.options = {"-o"};
    access.selectors = {output};
    made->accesses.push_back(access);
    Selector operands;
    operands.kind = Selector::Kind::kOperands;
    made->hosts = {operands};
  }
  return made;
}

std::shared_ptr<const Knowledge> with_fetchers() {
  auto made = std::make_shared<Knowledge>(*testing::by_hand());
  made->programs["clone"] = fetching(Fetches::kTree);
  made->programs["pull"] = fetching(Fetches::kAddress);
  made->programs["get"] = fetching(Fetches::kFiles);
  made->programs["unpack"] = fetching(Fetches::kArchive);
  return made;
}

// The commands called `last` are looked at.
SimpleCommand last_of(const std::string& line) {
  static const auto kKnowledge = with_fetchers();
  Place place;
  place.workspace = place.cwd = "/ws";
  place.home = "/h";
  const Facts facts = analyse(line, place, *kKnowledge);
  for (const SimpleCommand& command : facts.commands)
    if (command.program == "last") return command;
  FAIL("no such command in " << line);
  return {};
}

TEST_CASE("a command knows what the line fetched before it") {
  const Texts tree = {"*"};
  CHECK(last_of("clone x && last").fetched == tree);
  CHECK(last_of("clone x; for i in 1 2; do last; done").fetched == tree);
  CHECK(last_of("f() { last; }; clone x; f").fetched == tree);
  CHECK(last_of("get -o a http://elsewhere/x; last").fetched == Texts{"/ws/a"});
  CHECK(last_of("get http://elsewhere/x | unpack; last").fetched == tree);
  CHECK(last_of("get -o a http://elsewhere/x; unpack a; last").fetched == Texts{"/ws/a", "*"});
  CHECK(last_of("pull http://elsewhere/x; last").fetched == tree);
  CHECK(last_of("pull git@elsewhere:x; last").fetched == tree);
  CHECK(last_of("pull fork main; last").fetched == tree);
}

TEST_CASE("what a line does not fetch, or only later, is not fetched") {
  for (const char* line :
       {"last; clone x", "unpack a; last", "pull; last", "pull origin main; last",
        "get http://localhost/x; last", "get -o a http://127.0.0.1/x; last",
        "get http://elsewhere/x | unpack_not; last"}) {
    INFO(line);
    CHECK(last_of(line).fetched.empty());
  }
}

TEST_CASE("many fetched files count as a tree, and one file counts once") {
  std::string line;
  for (int at = 0; at < 40; ++at) line += "get -o f" + std::to_string(at) + " http://elsewhere/x; ";
  const Texts many = last_of(line + "last").fetched;
  CHECK(many.size() == 16);
  CHECK(many.back() == "*");
  CHECK(last_of("clone a; clone b; last").fetched == Texts{"*"});
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
