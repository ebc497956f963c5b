// `gibbous report`, over a journal that the test writes.
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

Outcome report(const WrittenJournal& journal, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {command_path(), "report"});
  arguments.insert(arguments.end(), {"--state", journal.directory()});
  return run_program({.argv = std::move(arguments), .env = {}, .cwd = journal.path("")});
}

}  // namespace

TEST_CASE("report writes a page and prints its path") {
  WrittenJournal journal;
  journal.start("AAAAaaa1", "agent-7", "make");
  journal.flush();
  const Outcome outcome = report(journal, {"agent-7"});
  CHECK(outcome.status.code == 0);
  CHECK_THAT(outcome.out, Contains("gibbous-agent-7.html") && Contains(", 1 run, 0 decisions\n"));
  const std::string page = journal.path("elsewhere.html");
  const Json told = Json::parse(report(journal, {"agent-7", "-o", page, "--json"}).out);
  CHECK(told["file"] == page);
  CHECK(told["runs"] == 1);
}

TEST_CASE("report of an unknown session, or to an unusable path, fails with the reason") {
  WrittenJournal journal;
  journal.start("AAAAaaa1", "agent-7", "make");
  journal.flush();
  const Outcome unknown = report(journal, {"agent7"});
  CHECK(unknown.status.code == 1);
  CHECK_THAT(unknown.err, Contains("did you mean 'agent-7'?"));
  const Outcome all = report(journal, {});
  CHECK(all.status.code == 0);
  CHECK_THAT(all.out, Contains("agent-7"));
  const Outcome nowhere = report(journal, {"agent-7", "-o", "/nonexistent/page.html"});
  CHECK(nowhere.status.code == 1);
  CHECK_THAT(nowhere.err, Contains("/nonexistent/page.html"));
}

TEST_CASE("report - is about the session without a name, and about no other") {
  WrittenJournal journal;
  journal.start("AAAAaaa1", "agent-7", "make");
  journal.decide("agent-7", "AAAAaaa1",
                 {{"decision", "allow"}, {"rule", "a"}, {"command", "make"}});
  journal.flush();
  CHECK(report(journal, {"-"}).status.code == 1);  // ps shows none
  journal.start("BBBBbbb2", "", "ls");
  journal.decide("", "BBBBbbb2", {{"decision", "allow"}, {"rule", "a"}, {"command", "ls"}});
  journal.flush();
  const Json told = Json::parse(report(journal, {"-", "--json"}).out);
  CHECK(told["runs"] == 1);
  CHECK(told["decisions"] == 1);
}
