// The programs that start a command: where its words end, and what is known of their own.
#include <memory>
#include <string>
#include <vector>

#include "runtime/command/analyse.h"
#include "tests/runtime/command/differential/by_hand.h"
#include "tests/support/catch.h"

namespace gibbous::command {
namespace {

using Lines = std::vector<std::string>;

Facts analysed(const std::string& line) {
  static const auto known = testing::by_hand();
  Place place;
  place.workspace = "/ws";
  place.cwd = "/ws";
  place.home = "/home/u";
  return analyse(line, place, *known);
}

std::string joined_words(const std::vector<Value>& words) {
  std::string text;
  for (const Value& word : words) text += (text.empty() ? "" : " ") + word.text;
  return text;
}

// What started the command with this program.
Lines started_by(const std::string& line, const std::string& program) {
  Lines all;
  for (const SimpleCommand& command : analysed(line).commands) {
    if (command.program != program) continue;
    for (const auto& words : command.started_by) all.push_back(joined_words(*words));
  }
  return all;
}

Lines command_lines(const std::string& line) {
  Lines all;
  for (const SimpleCommand& command : analysed(line).commands)
    all.push_back(joined_words(command.argv));
  return all;
}

TEST_CASE("a command knows the words of the programs that start it") {
  CHECK(started_by("rm x", "rm").empty());
  CHECK(started_by("env -i A=1 rm x", "rm") == Lines{"env -i A=1"});
  CHECK(started_by("sudo -u bob env rm x", "rm") == Lines{"sudo -u bob", "env"});
  CHECK(started_by("bash --rcfile f -c 'rm x'", "rm") == Lines{"bash --rcfile f -c"});
  CHECK(started_by("bash -c 'env rm x; rm y'", "rm") == Lines{"bash -c", "env", "bash -c"});
  CHECK(started_by("eval rm x", "rm") == Lines{"eval"});
  CHECK(started_by("bash -s <<< 'rm x'", "rm") == Lines{"bash -s"});
  CHECK(started_by("env ls; rm x", "rm").empty());
}

TEST_CASE("only a + behind {} ends the command of find") {
  CHECK(command_lines("find . -exec rm {} + -name x") == Lines{"rm ./{}", "find . -exec -name x"});
  CHECK(command_lines("find . -exec rm a + -r b \\; -name x")[0].find("rm a + -r b") == 0);
}

TEST_CASE("a name that ls prints may begin like an option, a path that find prints may not") {
  Knowledge known = *testing::by_hand();
  ProgramSpec ls;
  ls.lists = ls.lists_names = true;
  known.programs["ls"] = std::make_shared<const ProgramSpec>(ls);
  Place place;
  place.workspace = "/ws";
  place.cwd = "/ws";
  const auto may_be_option = [&](const char* line) {
    return analyse(line, place, known).commands.back().argv.back().starts_unknown();
  };
  CHECK(may_be_option("ls | xargs rm"));
  CHECK(may_be_option("ls src | xargs rm"));
  CHECK_FALSE(may_be_option("find . | xargs rm"));
  CHECK_FALSE(may_be_option("find src | xargs rm"));
}

TEST_CASE("a redirection by itself belongs to a program that is known") {
  for (const char* line : {"< a", "while true; do true; done < a"}) {
    CAPTURE(line);
    bool found = false;
    for (const SimpleCommand& command : analysed(line).commands)
      found = found || (command.program == ":" && command.known_program);
    CHECK(found);
  }
}

TEST_CASE("an assignment by itself is noted, although it is no command") {
  const Facts facts = analysed("HOME=x; ls");
  CHECK(facts.assigns);
  CHECK(facts.commands.size() == 1);
  CHECK_FALSE(analysed("HOME=x ls").assigns);
}

}  // namespace
}  // namespace gibbous::command
