// Words in brackets on the command line.
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/loop.h"
#include "tests/support/program.h"

using Catch::Matchers::Contains;
using namespace gibbous::testing;

namespace {

Outcome run_in(const TempDir& directory, std::vector<std::string> words) {
  words.insert(words.begin(), command_path());
  return run_program({.argv = std::move(words), .cwd = directory.path()});
}

}  // namespace

TEST_CASE("policy check judges a line in brackets as it is written") {
  const TempDir directory;
  for (const std::string line :
       {"[[ -f a ]]", "[ -f a ]", "[[ -f a, -f b ]]", "[]", "[a] && [b]"}) {
    INFO(line);
    const Outcome said = run_in(directory, {"policy", "check", "--json", "--state", "state", line});
    CHECK_THAT(said.out, Contains("\"command\":\"" + line + "\""));
  }
  const Outcome words = run_in(
      directory, {"policy", "check", "--json", "--state", "state", "--", "ls", "[a,b]", "c"});
  CHECK_THAT(words.out, Contains("\"command\":\"ls '[a,b]' c\""));
}

TEST_CASE("a directory may have its name in brackets") {
  const TempDir directory;
  const std::string place = directory.path() + "/[a]";
  std::filesystem::create_directories(place);
  std::ofstream(place + "/init.lua")
      << "return { rules = { { id = 'ours.make', decision = 'deny', reason = 'Use ninja.',\n"
         "  program = 'make', match = { 'make' } } } }\n";
  for (const std::vector<std::string>& named :
       {std::vector<std::string>{"--policies", "[a]"}, {"--policies=[a]"}}) {
    std::vector<std::string> words = {"policy", "check", "--state", "state", "make"};
    words.insert(words.end(), named.begin(), named.end());
    CHECK_THAT(run_in(directory, words).out, Contains("ours.make"));
  }
  CHECK_THAT(run_in(directory, {"policy", "test", "[b]"}).err, Contains("[b]"));
}
