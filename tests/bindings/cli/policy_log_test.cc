// `gibbous policy log` and `gibbous policy diff`, over a journal that the test writes.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/conversation.h"
#include "tests/support/program.h"
#include "tests/support/written_journal.h"

using Catch::Matchers::Contains;
using gibbous::Json;
using namespace gibbous::testing;

namespace {

enum ExitCode { kDone = 0, kFailed = 1, kWrongUse = 2 };

ProgramSpec policy_of(const std::string& state, const std::string& task,
                      std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {command_path(), "policy", task});
  arguments.insert(arguments.end(), {"--state", state});
  return {.argv = std::move(arguments), .env = {{"TZ", "UTC"}}, .cwd = ""};
}

Outcome log(const WrittenJournal& journal, std::vector<std::string> arguments = {}) {
  return run_program(policy_of(journal.directory(), "log", std::move(arguments)));
}

void write_three(WrittenJournal& journal) {
  journal.decide("one", "",
                 {{"decision", "allow"},
                  {"rule", "mode.auto"},
                  {"tool", "bg_start"},
                  {"effect", "start"},
                  {"mode", "auto"},
                  {"workspace", "/w"},
                  {"command", "make"}});
  journal.advance(std::chrono::seconds(1));
  journal.decide("one", "AAAAaaa1",
                 {{"decision", "deny"},
                  {"rule", "git.force_push"},
                  {"tool", "shell"},
                  {"effect", "start"},
                  {"mode", "auto"},
                  {"workspace", "/w"},
                  {"command", "git push\x1b[2J --force"},
                  {"reason", "It rewrites history."}});
  journal.advance(std::chrono::seconds(1));
  journal.decide("two", "",
                 {{"decision", "ask"},
                  {"rule", "git.push"},
                  {"tool", "shell"},
                  {"argv", {"git", "push"}},
                  {"answer", {{"allow", true}, {"who", "sam"}, {"reason", "fine"}}}});
  journal.flush();
}

}  // namespace

TEST_CASE("policy log prints each decision on a line, in chronological order") {
  WrittenJournal journal;
  write_three(journal);
  CHECK(
      log(journal).out ==
      "2023-11-14 22:13:20.000  allow  mode.auto  bg_start  make\n"
      "2023-11-14 22:13:21.000  deny  git.force_push  shell  git push\\x1b[2J --force  "
      "It rewrites history.\n"
      "2023-11-14 22:13:22.000  ask  git.push  shell  [\"git\",\"push\"]  allowed by sam: fine\n");
}

TEST_CASE("policy log takes the label of a run") {
  WrittenJournal journal;
  journal.start("AAAAaaa1", "one", "git push --force", {{"label", "push"}});
  write_three(journal);
  const std::string out = log(journal, {"--run", "push"}).out;
  CHECK_THAT(out, Contains("git.force_push") && !Contains("mode.auto"));
}

TEST_CASE("policy log is filtered by session, run, rule, verdict, time and number") {
  WrittenJournal journal;
  write_three(journal);
  const auto only = [&journal](std::vector<std::string> arguments, const std::string& rule) {
    const std::string out = log(journal, std::move(arguments)).out;
    return out.find(rule) != std::string::npos && out.find('\n') == out.size() - 1;
  };
  CHECK(only({"--session", "two"}, "git.push"));
  CHECK(only({"--run", "AAAA"}, "git.force_push"));
  CHECK(only({"--rule", "mode.*"}, "mode.auto"));
  CHECK(only({"--decision", "deny"}, "git.force_push"));
  CHECK(only({"--since", "2023-11-14T22:13:22Z"}, "git.push"));
  CHECK(only({"-n", "1"}, "git.push"));
  CHECK(only({"-n", "1", "--session", "one"}, "git.force_push"));
  CHECK(log(journal, {"--session", "three"}).out.empty());
}

TEST_CASE("policy log --json gives each decision as it was recorded") {
  WrittenJournal journal;
  write_three(journal);
  const std::string out = log(journal, {"--json", "--decision", "ask"}).out;
  CHECK(out.find('\n') == out.size() - 1);
  const Json line = Json::parse(out);
  CHECK(line["rule"] == "git.push");
  CHECK(line["answer"]["who"] == "sam");
}

TEST_CASE("policy log -f follows new decisions until it is interrupted") {
  WrittenJournal journal;
  write_three(journal);
  Program program(policy_of(journal.directory(), "log", {"-f", "-n", "1", "--json"}));
  CHECK_THAT(program.read_line().value(), Contains("git.push"));
  journal.decide("three", "", {{"decision", "deny"}, {"rule", "later"}});
  journal.flush();
  CHECK_THAT(program.read_line().value(), Contains("later"));
  program.send_signal(SIGTERM);
  CHECK(program.wait()->code == kDone);
}

TEST_CASE("policy log explains wrong use, and reports a missing journal") {
  WrittenJournal journal;
  write_three(journal);
  const Outcome decision = log(journal, {"--decision", "maybe"});
  CHECK(decision.status.code == kWrongUse);
  CHECK_THAT(decision.err, Contains("--decision") && Contains("maybe"));
  CHECK(log(journal, {"-n", "0"}).status.code == kWrongUse);
  const Outcome since = log(journal, {"--since", "42"});
  CHECK(since.status.code == kWrongUse);
  CHECK_THAT(since.err, Contains("--since: expected a time ago") && Contains("42"));
  const Outcome none = run_program(policy_of(journal.path("elsewhere"), "log", {}));
  CHECK(none.status.code == kFailed);
  CHECK_THAT(none.err, Contains("elsewhere"));
}

TEST_CASE("policy log shows where decisions are missing") {
  WrittenJournal journal;
  gibbous::DecisionRecord gap;
  gap.created_at = journal.now();
  gap.decision = "lost";
  gap.record_json = R"({"time":1,"lost":12})";
  REQUIRE(journal.journal().add_decision(gap) == gibbous::Taken::kYes);
  journal.flush();
  CHECK_THAT(log(journal).out, Contains("lost") && Contains("12 decisions could not be recorded"));
}

TEST_CASE("policy log says of a decision that a newer program recorded that it cannot be read") {
  WrittenJournal journal;
  gibbous::DecisionRecord newer;
  newer.created_at = journal.now();
  newer.decision = "allow";
  newer.rule = "later.rule";
  newer.record_json = R"({"version":2,"time":1,"command":"means something else"})";
  REQUIRE(journal.journal().add_decision(newer) == gibbous::Taken::kYes);
  journal.flush();
  const std::string out = log(journal).out;
  CHECK_THAT(out, Contains("later.rule") && Contains("decision_newer") && Contains("version 2"));
  CHECK_THAT(out, !Contains("means something else"));
}

TEST_CASE("policy diff judges the decisions of the journal again") {
  WrittenJournal journal;
  write_three(journal);
  const std::string shipped =
      std::filesystem::path(command_path()).parent_path() / "share/gibbous/policies";
  const Outcome same =
      run_program(policy_of(journal.directory(), "diff", {shipped, shipped, "--json"}));
  CHECK(same.status.code == kDone);
  CHECK(Json::parse(same.out)["records"] == 2);
  const Outcome none =
      run_program(policy_of(journal.path("elsewhere"), "diff", {shipped, shipped}));
  CHECK(none.status.code == kWrongUse);
  CHECK_THAT(none.err, Contains("elsewhere"));
}

TEST_CASE("policy diff counts what changes by rule, and shows a bounded part of it") {
  constexpr int kDeploys = 60;
  const gibbous::testing::TempDir directory;
  std::filesystem::create_directories(directory.path() + "/team");
  std::ofstream(directory.path() + "/team/init.lua")
      << "local override, policy, modes = require 'override', require 'policy', require 'modes'\n"
         "return { modes = modes, decide = policy.decider(modes), knowledge = require "
         "'knowledge',\n"
         "rules = override.with(require 'rules', { { id = 'team.deploy', decision = 'deny',\n"
         "reason = 'Ask.', program = 'deploy.sh', match = { './deploy.sh' } } }) }\n";
  std::ofstream records(directory.path() + "/log.jsonl");
  for (int at = 0; at < kDeploys; ++at)
    records << R"({"effect":"start","command":"./deploy.sh )" << at
            << R"(","workspace":"/work","mode":"auto","decision":"allow"})"
            << "\n";
  records << R"({"effect":"start","command":"ls","workspace":"/work","mode":"auto"})"
          << "\n";
  records.close();
  const std::string shipped =
      std::filesystem::path(command_path()).parent_path() / "share/gibbous/policies";
  const auto diff = [&](std::vector<std::string> more) {
    std::vector<std::string> words{shipped, directory.path() + "/team", "--log",
                                   directory.path() + "/log.jsonl"};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(policy_of(directory.path(), "diff", words));
  };
  const std::string out = diff({}).out;
  CHECK_THAT(out, Contains("and 20 more changes") && Contains("60  team.deploy  allow -> deny") &&
                      Contains("60 of 61 verdicts change"));
  CHECK_THAT(out, !Contains("deploy.sh 59"));
  const Json made = Json::parse(diff({"--json"}).out);
  CHECK(made["changes"].size() == kDeploys);
  REQUIRE(made["by_rule"].size() == 1);
  CHECK(made["by_rule"][0]["rule"] == "team.deploy");
  CHECK(made["by_rule"][0]["count"] == kDeploys);
}
