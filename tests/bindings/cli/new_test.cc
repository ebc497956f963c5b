// `gibbous new`: what it writes works, and it overwrites nothing.
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/conversation.h"
#include "tests/support/loop.h"
#include "tests/support/program.h"

using Catch::Matchers::Contains;
using gibbous::Json;
using namespace gibbous::testing;

namespace {

enum ExitCode { kDone = 0, kFailed = 1, kWrongUse = 2, kAsk = 10 };

Outcome run_in(const TempDir& directory, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), command_path());
  return run_program({.argv = std::move(arguments),
                      .env = {{"XDG_STATE_HOME", directory.path() + "/state"}},
                      .cwd = directory.path()});
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("what new writes passes check, whatever its kind") {
  for (const char* kind : {"tool", "policy", "watcher", "executor"}) {
    INFO(kind);
    const TempDir directory;
    const Outcome made = run_in(directory, {"new", kind, "first"});
    CHECK(made.status.code == kDone);
    CHECK_THAT(made.out, Contains("wrote ") && Contains("init.lua") && Contains("next:"));
    const Outcome checked = run_in(directory, {"check", "."});
    INFO(checked.out << checked.err);
    CHECK(checked.status.code == kDone);
  }
}

TEST_CASE("the specs that new writes pass") {
  const TempDir directory;
  directory.write("scripts/init.lua",
                  "return { toolsets = { require 'toolsets.bg', require 'tools.first' }, "
                  "watchers = { require 'watchers.second' } }");
  for (const auto& [kind, name] :
       {std::pair{"tool", "first"}, {"watcher", "second"}, {"executor", "third"}}) {
    REQUIRE(run_in(directory, {"new", kind, name}).status.code == kDone);
  }
  const Outcome tested = run_in(directory, {"test"});
  INFO(tested.out << tested.err);
  CHECK(tested.status.code == kDone);
  CHECK_THAT(tested.out, Contains("4 passed, 0 failed"));
}

TEST_CASE("a new tool can be called") {
  const TempDir directory;
  REQUIRE(run_in(directory, {"new", "tool", "count_lines"}).status.code == kDone);
  directory.write("three.txt", "1\n2\n3\n");
  const auto count = [&directory](const std::string& path) {
    return run_in(directory, {"call", "count_lines", Json{{"path", path}}.dump(), "--scripts",
                              "scripts", "--mode", "auto"});
  };
  CHECK(count("three.txt").out == "3 lines in three.txt\n");
  CHECK_THAT(count("none.txt").err, Contains("not_counted") && Contains("none.txt"));
}

TEST_CASE("a new policy asks what its rule says, and its cases pass") {
  const TempDir directory;
  REQUIRE(run_in(directory, {"new", "policy", "team"}).status.code == kDone);
  CHECK(run_in(directory, {"policy", "test", "policies"}).status.code == kDone);
  const Outcome verdict = run_in(directory, {"policy", "check", "--policies", "policies", "--mode",
                                             "auto", "deploy production"});
  CHECK(verdict.status.code == kAsk);
  CHECK_THAT(verdict.out, Contains("team.deploy"));
}

TEST_CASE("a new watcher handles its event") {
  const TempDir directory;
  REQUIRE(run_in(directory, {"new", "watcher", "trouble"}).status.code == kDone);
  Conversation session({"--scripts", directory.path() + "/scripts", "--mode", "auto", "--state",
                        directory.path() + "/state", "--workspace", directory.path()});
  session.call("bg_start", {{"command", "echo ERROR: no"},
                            {"watch", {{{"regex", "ERROR"}, {"event", "trouble"}}}}});
  CHECK(session.event("trouble")["data"]["tail"] == "ERROR: no\n");
}

TEST_CASE("a new executor runs commands") {
  const TempDir directory;
  REQUIRE(run_in(directory, {"new", "executor", "slow"}).status.code == kDone);
  directory.write("config.lua", "return { executor = 'slow', executors = { slow = {} } }");
  const Outcome called =
      run_in(directory, {"call", "bg_start", R"({"command":"nice","until":{"exit":true}})",
                         "--scripts", "scripts", "--config", "config.lua", "--mode", "dangerous"});
  INFO(called.err);
  constexpr int kMost = 19;
  const int expected = std::min(::getpriority(PRIO_PROCESS, 0) + 10, kMost);
  CHECK_THAT(called.out, Contains("\n" + std::to_string(expected) + "\n"));
}

TEST_CASE("new leaves an init.lua alone and says what to add") {
  const TempDir directory;
  REQUIRE(run_in(directory, {"new", "tool", "first"}).status.code == kDone);
  const std::string init = text_of(directory.path() + "/scripts/init.lua");
  const Json told = Json::parse(run_in(directory, {"new", "tool", "second", "--json"}).out);
  CHECK(told["written"] == Json{"scripts/tools/second.lua", "scripts/tools/second_spec.lua"});
  CHECK_THAT(told["next"].at(0).get<std::string>(),
             Contains("scripts/init.lua") && Contains("require 'tools.second'"));
  CHECK(text_of(directory.path() + "/scripts/init.lua") == init);
  const Outcome again = run_in(directory, {"new", "tool", "second"});
  CHECK(again.status.code == kFailed);
  CHECK_THAT(again.err, Contains("scripts/tools/second.lua exists"));
}

TEST_CASE("new follows no symbolic link") {
  const TempDir directory;
  const TempDir elsewhere;
  REQUIRE(::symlink(elsewhere.path().c_str(), (directory.path() + "/scripts").c_str()) == 0);
  const Outcome outcome = run_in(directory, {"new", "tool", "first"});
  CHECK(outcome.status.code == kFailed);
  CHECK_THAT(outcome.err, Contains("scripts") && Contains("symbolic link"));
  CHECK(std::filesystem::is_empty(elsewhere.path()));

  REQUIRE(::mkdir((directory.path() + "/policies").c_str(), 0700) == 0);
  const std::string target = elsewhere.path() + "/target.lua";
  REQUIRE(::symlink(target.c_str(), (directory.path() + "/policies/team.lua").c_str()) == 0);
  CHECK(run_in(directory, {"new", "policy", "team"}).status.code == kFailed);
  CHECK_FALSE(std::filesystem::exists(target));
}

TEST_CASE("new refuses names that are invalid or hide shipped files") {
  const TempDir directory;
  for (const char* name : {"", "../x", "a/b", "Big", "9x", "a-b", "a b"}) {
    INFO(name);
    CHECK(run_in(directory, {"new", "tool", name}).status.code == kWrongUse);
  }
  CHECK_THAT(run_in(directory, {"new", "executor", "docker"}).err, Contains("ships"));
  CHECK(run_in(directory, {"new", "policy", "modes"}).status.code == kWrongUse);
  CHECK(run_in(directory, {"new", "toool", "x"}).status.code == kWrongUse);
  CHECK(run_in(directory, {"new", "tool"}).status.code == kWrongUse);
}
