// `gibbous policy diff`: the word for the policy that ships, and --since.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/loop.h"
#include "tests/support/program.h"
#include "tests/support/written_journal.h"

using Catch::Matchers::Contains;
using namespace gibbous::testing;

namespace {

enum ExitCode { kDone = 0, kFailed = 1, kWrongUse = 2 };

class Directory {
 public:
  Directory() {
    std::ofstream(path("log.jsonl"))
        << R"({"effect":"start","command":"make x","workspace":"/w","mode":"auto"})"
        << "\n";
    write("ours");
  }
  void write(const std::string& name) const {
    std::filesystem::create_directories(path(name));
    std::ofstream(path(name + "/init.lua"))
        << "return { rules = { { id = 'ours.make', decision = 'deny', reason = 'Use ninja.',\n"
           "  program = 'make', match = { 'make' } } } }\n";
  }
  Outcome diff(const std::string& before, const std::string& after) const {
    return run_program({.argv = {command_path(), "policy", "diff", before, after, "--log",
                                 path("log.jsonl"), "--state", path("state")},
                        .cwd = directory_.path()});
  }

 private:
  std::string path(const std::string& name) const { return directory_.path() + "/" + name; }
  gibbous::testing::TempDir directory_;
};

TEST_CASE("policy diff takes 'shipped' for the policy that ships") {
  const Directory directory;
  const Outcome made = directory.diff("shipped", "ours");
  CHECK(made.status.code == kFailed);
  CHECK_THAT(made.out, Contains("allow -> deny  make x") && Contains("ours.make"));
  CHECK(directory.diff("shipped", "shipped").status.code == kDone);
}

TEST_CASE("a directory that is called shipped is named with ./") {
  const Directory directory;
  directory.write("shipped");
  CHECK(directory.diff("shipped", "./shipped").status.code == kFailed);
  CHECK(directory.diff("ours", "./shipped").status.code == kDone);
}

TEST_CASE("policy diff names a directory that is not there") {
  const Outcome made = Directory().diff("shipped", "missing");
  CHECK(made.status.code == kWrongUse);
  CHECK_THAT(made.err, Contains("missing"));
}

TEST_CASE("policy diff --since judges only what came later") {
  WrittenJournal journal;
  const TempDir team;
  std::ofstream(team.path() + "/init.lua")
      << "local policy, modes = require 'policy', require 'modes'\n"
         "local override = require 'override'\n"
         "return { modes = modes, decide = policy.decider(modes), knowledge = require "
         "'knowledge',\n"
         "rules = override.with(require 'rules', { { id = 'team.make', decision = 'deny',\n"
         "reason = 'Use ninja.', program = 'make', match = { 'make' } } }) }\n";
  const TempDir shipped;
  std::ofstream(shipped.path() + "/init.lua")
      << "local policy, modes = require 'policy', require 'modes'\n"
         "return { modes = modes, decide = policy.decider(modes), knowledge = require "
         "'knowledge',\n"
         "rules = require 'rules' }\n";
  for (const char* command : {"make one", "make two"}) {
    journal.advance(std::chrono::seconds(1));
    journal.decide("one", "",
                   {{"decision", "allow"},
                    {"rule", "building.tools"},
                    {"tool", "shell"},
                    {"effect", "start"},
                    {"mode", "auto"},
                    {"workspace", "/w"},
                    {"command", command}});
  }
  journal.flush();
  const auto diff = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {shipped.path(), team.path(), "--state", journal.directory()});
    more.insert(more.begin(), {command_path(), "policy", "diff"});
    return run_program({.argv = std::move(more), .env = {{"TZ", "UTC"}}});
  };
  const Outcome all = diff({});
  CHECK(all.status.code == kFailed);
  CHECK_THAT(all.out, Contains("make one") && Contains("2 of 2 verdicts change"));
  const Outcome later = diff({"--since", "2023-11-14T22:13:22"});
  CHECK_THAT(later.out, Contains("allow -> deny  make two") && !Contains("make one") &&
                            Contains("1 of 1 verdicts change"));
  CHECK(diff({"--since", "2024-01-01T00:00"}).status.code == kDone);
  CHECK(diff({"--since", "soon"}).status.code == kWrongUse);
}

}  // namespace
