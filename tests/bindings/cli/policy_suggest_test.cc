// `gibbous policy suggest`, and `policy diff --since`, over a journal that the test writes.
#include <chrono>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/conversation.h"
#include "tests/support/loop.h"
#include "tests/support/program.h"
#include "tests/support/written_journal.h"

using Catch::Matchers::Contains;
using gibbous::Json;
using namespace gibbous::testing;

namespace {

enum ExitCode { kDone = 0, kFailed = 1, kWrongUse = 2 };

Outcome policy(const std::string& task, std::vector<std::string> arguments,
               const std::string& directory = "") {
  arguments.insert(arguments.begin(), {command_path(), "policy", task});
  return run_program({.argv = std::move(arguments), .env = {{"TZ", "UTC"}}, .cwd = directory});
}

Outcome suggest(const WrittenJournal& journal, std::vector<std::string> arguments = {}) {
  arguments.insert(arguments.end(), {"--state", journal.directory(), "--mode", "auto"});
  return policy("suggest", std::move(arguments));
}

void approve(WrittenJournal& journal, const std::string& command, const std::string& reason = "",
             bool allow = true) {
  journal.advance(std::chrono::seconds(1));
  journal.decide("one", "",
                 {{"id", "abcdefgh"},
                  {"time", journal.now()},
                  {"decision", "ask"},
                  {"rule", "git.push"},
                  {"tool", "shell"},
                  {"effect", "start"},
                  {"mode", "auto"},
                  {"workspace", "/w"},
                  {"command", command},
                  {"answer", {{"allow", allow}, {"who", "sam"}, {"reason", reason}}}});
}

void approve_pushes(WrittenJournal& journal) {
  for (const char* branch : {"agent/a", "agent/b", "agent/c"})
    approve(journal, std::string("git push origin ") + branch);
  journal.flush();
}

std::string policy_with_suggestions(const std::string& directory, const std::string& suggested) {
  std::ofstream(directory + "/suggested.lua") << suggested;
  std::ofstream(directory + "/init.lua")
      << "local policy, modes = require 'policy', require 'modes'\n"
         "return { modes = modes, decide = policy.decider(modes),\n"
         "rules = require 'suggested'(require 'rules'), knowledge = require 'knowledge',\n"
         "cases = { { name = 'ours', mode = 'auto', allow = { 'git push origin agent/x' },\n"
         "ask = { 'git push', 'git push origin', 'git push upstream x',\n"
         "'git push origin \"$BRANCH\"', 'A=1 git push origin x', 'git push origin x | tee y',\n"
         "'git push origin x --force' }, asked_or_denied = { 'sudo git push origin x' } } } }\n";
  return directory;
}

}  // namespace

TEST_CASE("policy suggest prints rules that pass policy test and spare just those questions") {
  WrittenJournal journal;
  approve_pushes(journal);
  const Outcome printed = suggest(journal);
  INFO(printed.out << printed.err);
  REQUIRE(printed.status.code == kDone);
  CHECK_THAT(
      printed.out,
      Contains(
          "-- Approved 3 times, 2023-11-14 22:13:21.000 to 2023-11-14 22:13:23.000, by sam.") &&
          Contains("-- Decisions: abcdefgh") && Contains("id = 'approved.git_push_origin'") &&
          Contains("words = { 'git', 'push', 'origin' }") &&
          Contains("asked_by = { 'git.push' }") && Contains("'git push origin agent/b',"));
  const TempDir team;
  const Outcome tested = policy("test", {policy_with_suggestions(team.path(), printed.out)});
  INFO(tested.out << tested.err);
  CHECK(tested.status.code == kDone);
  // Those are asked about no more.
  const Outcome again = suggest(journal, {"--policies", team.path()});
  CHECK(again.out.empty());
  CHECK_THAT(again.err, Contains("nothing was approved 3 times"));
}

TEST_CASE("policy suggest proposes no more than was approved often enough") {
  WrittenJournal journal;
  approve_pushes(journal);
  CHECK(suggest(journal, {"--least", "4"}).out.empty());
  CHECK(suggest(journal, {"--since", "2023-11-14T22:13:22"}).out.empty());
  CHECK_THAT(suggest(journal, {"--since", "2023-11-14T22:13:22", "--least", "2"}).out,
             Contains("Approved 2 times"));
  CHECK(suggest(journal, {"--least", "1"}).status.code == kWrongUse);
}

TEST_CASE("the same command again and again is proposed as it is") {
  WrittenJournal journal;
  for (int i = 0; i < 3; ++i) approve(journal, "git push origin main");
  journal.flush();
  const Json listed = Json::parse(suggest(journal, {"--json"}).out);
  REQUIRE(listed.size() == 1);
  CHECK(listed[0]["words"] == Json({"git", "push", "origin", "main"}));
  CHECK(listed[0]["exact"] == true);
  CHECK(listed[0]["approvals"] == 3);
  CHECK(listed[0]["commands"] == Json({"git push origin main"}));
}

TEST_CASE("words that stood alone and with more are proposed both ways") {
  WrittenJournal journal;
  for (const char* command : {"git push origin", "git push origin x", "git push origin y"})
    approve(journal, command);
  journal.flush();
  const Outcome printed = suggest(journal, {"--least", "2"});
  INFO(printed.out);
  const TempDir team;
  policy_with_suggestions(team.path(), printed.out);
  for (const char* command : {"git push origin x", "git push origin y"}) {
    const Outcome checked =
        policy("check", {"--policies", team.path(), "--mode", "auto", "--untested", command});
    CHECK_THAT(checked.out, Contains("allow"));
  }
}

TEST_CASE("policy suggest proposes nothing for code, doubts, secrets, refusals and old answers") {
  WrittenJournal journal;
  for (int i = 0; i < 3; ++i) {
    approve(journal, "python3 -c 'import os; os.system(\"x\")'");
    approve(journal, "cat ~/.ssh/id_rsa");
    approve(journal, "$TOOL push");
    approve(journal, "git push origin x", "", false);
    approve(journal, "git push origin y", "approval abcdefgh");
    approve(journal, "git push origin z | tee log");
  }
  journal.flush();
  const Outcome printed = suggest(journal, {"--json"});
  CHECK(printed.out == "[]\n");
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
    return policy("diff", std::move(more));
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
