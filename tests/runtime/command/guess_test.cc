// What an unknown program may run: the known ones that it names among its words.
#include <filesystem>
#include <optional>
#include <string>

#include "runtime/command/analyse.h"
#include "tests/runtime/command/differential/by_hand.h"
#include "tests/support/catch.h"

namespace gibbous::command {
namespace {

Facts guesses_of(const std::string& line) {
  Place place;
  place.workspace = place.cwd = "/ws";
  place.home = "/home/u";
  place.resolve = [](const std::string& path) {
    const bool away = path.find("/away/") != std::string::npos;
    return std::optional(away ? "/opt/tool"
                              : std::filesystem::path(path).lexically_normal().string());
  };
  return analyse(line, place, *testing::by_hand());
}

// The command `rm` that is guessed in the line.
SimpleCommand guess_in(const std::string& line) {
  for (const SimpleCommand& command : guesses_of(line).commands) {
    if (command.program == "rm" && command.guessed) return command;
  }
  FAIL("no guess in " << line);
  return {};
}

TEST_CASE("a guess about a program of the workspace says so") {
  for (const char* line :
       {"./dev rm x", "tools/dev rm x", "/ws/dev rm x", "cd sub && ../dev rm x"}) {
    INFO(line);
    CHECK(guess_in(line).guess_of_own);
  }
}

TEST_CASE("a guess about another program does not") {
  for (const char* line : {"dev rm x", "/opt/dev rm x", "../dev rm x", "./away/dev rm x",
                           "\"$D\"/dev rm x", "cd \"$D\" && ./dev rm x"}) {
    INFO(line);
    for (const SimpleCommand& command : guesses_of(line).commands)
      CHECK_FALSE(command.guess_of_own);
  }
}

TEST_CASE("what a line does besides is no guess") {
  for (const SimpleCommand& command : guesses_of("rm a && ./dev rm x && rm b").commands)
    CHECK(command.guess_of_own == command.guessed);
}

}  // namespace
}  // namespace gibbous::command
