// `gibbous events`, over a journal that the test writes.
#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/conversation.h"
#include "tests/support/program.h"
#include "tests/support/written_journal.h"

using Catch::Matchers::Contains;
using gibbous::ItemType;
using gibbous::Json;
using namespace gibbous::testing;

namespace {

enum ExitCode { kDone = 0, kFailed = 1, kWrongUse = 2 };

ProgramSpec events_of(const WrittenJournal& journal, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {command_path(), "events"});
  arguments.insert(arguments.end(), {"--state", journal.directory()});
  return {.argv = std::move(arguments), .env = {{"TZ", "UTC"}}, .cwd = ""};
}

Outcome events(const WrittenJournal& journal, std::vector<std::string> arguments = {}) {
  return run_program(events_of(journal, std::move(arguments)));
}

// Two runs of two sessions whose events are interleaved.
void write_two(WrittenJournal& journal) {
  journal.start("AAAAaaa1", "one", "make");
  journal.start("BBBBbbb2", "two", "serve");
  journal.event("BBBBbbb2", "ready", {{"line", "listening\x1b[2J on 3000"}});
  journal.advance(std::chrono::seconds(1));
  journal.out("AAAAaaa1", "output is no event\n");
  journal.event("AAAAaaa1", "warning", {{"line", "unused"}});
  journal.advance(std::chrono::seconds(1));
  journal.add("BBBBbbb2", ItemType::kState, "failed", R"({"reason":"it fell","exit_code":3})");
  journal.end("BBBBbbb2", "failed", 3);
  journal.flush();
}

}  // namespace

TEST_CASE("events of all runs are in chronological order") {
  WrittenJournal journal;
  write_two(journal);
  CHECK(events(journal).out ==
        "2023-11-14 22:13:20.000  BBBBbbb2  two  ready  listening on 3000\n"
        "2023-11-14 22:13:21.000  AAAAaaa1  one  warning  unused\n"
        "2023-11-14 22:13:22.000  BBBBbbb2  two  failed  it fell  exit code 3\n");
}

TEST_CASE("what the handler of an event added, or why it failed, is shown without secrets") {
  WrittenJournal journal;
  journal.start("AAAAaaa1", "one", "serve");
  journal.event("AAAAaaa1", "ready",
                {{"line", "up"}, {"data", {{"port", 8080}, {"api_key", "sk-verysecretvalue"}}}});
  journal.event("AAAAaaa1", "ready",
                {{"line", "up"}, {"handler_error", "init.lua:3: password=hunter22"}});
  journal.flush();
  const std::string text = events(journal).out;
  CHECK_THAT(text, Contains("ready  data {\"api_key\":\"***\",\"port\":8080}\n"));
  CHECK_THAT(text, Contains("ready  handler failed: init.lua:3: password=***\n"));
  CHECK_THAT(events(journal, {"--json"}).out, Contains("\"port\":8080") && !Contains("hunter22"));
}

TEST_CASE("events are filtered by session, run and time") {
  WrittenJournal journal;
  write_two(journal);
  CHECK_THAT(events(journal, {"--session", "one"}).out,
             Contains("warning") && !Contains("BBBBbbb2"));
  CHECK_THAT(events(journal, {"--run", "BBBB"}).out, Contains("ready") && !Contains("AAAAaaa1"));
  CHECK_THAT(events(journal, {"--since", "2023-11-14T22:13:22Z"}).out,
             Contains("failed") && !Contains("warning"));
}

TEST_CASE("events report each thing once, with the session and the command") {
  WrittenJournal journal;
  journal.in("/work", "claude@/work");
  journal.start("AAAAaaa1", "build", "make", {{"label", "all"}});
  journal.add("AAAAaaa1", ItemType::kState, "running", R"({"pid":7})");
  journal.event("AAAAaaa1", "run_started", {{"state", "running"}, {"command", "make"}});
  journal.add("AAAAaaa1", ItemType::kState, "failed", R"({"exit_code":1,"reason":"exit code 1"})");
  journal.event("AAAAaaa1", "run_ended",
                {{"state", "failed"}, {"exit_code", 1}, {"reason", "exit code 1"}});
  journal.end("AAAAaaa1", "failed", 1);
  journal.flush();
  CHECK(events(journal).out ==
        "2023-11-14 22:13:20.000  AAAAaaa1  claude build  running  [all] make\n"
        "2023-11-14 22:13:20.000  AAAAaaa1  claude build  failed  exit code 1\n");
  const std::string json = events(journal, {"--json"}).out;
  CHECK(std::count(json.begin(), json.end(), '\n') == 4);
  CHECK_THAT(json, Contains(R"("session":"claude@/work","queue":"build")"));
}

TEST_CASE("an event that no change of state reports is shown") {
  WrittenJournal journal;
  journal.start("AAAAaaa1", "one", "make");
  journal.event("AAAAaaa1", "run_ended", {{"state", "failed"}, {"reason", "exit code 1"}});
  journal.flush();
  CHECK_THAT(events(journal).out, Contains("run_ended  exit code 1\n"));
}

TEST_CASE("events redact secrets") {
  WrittenJournal journal;
  journal.start("AAAAaaa1", "one", "env");
  journal.event("AAAAaaa1", "seen", {{"line", "PASSWORD=hunter2"}, {"before", {"PASSWORD=x"}}});
  journal.flush();
  CHECK_THAT(events(journal).out, Contains("seen  PASSWORD=***\n"));
  const Json line = Json::parse(events(journal, {"--json"}).out);
  CHECK(line["meta"]["line"] == "PASSWORD=***");
  CHECK(line["meta"]["before"].at(0) == "PASSWORD=***");
}

TEST_CASE("events --json prints each event as a line of JSON") {
  WrittenJournal journal;
  write_two(journal);
  const std::string out = events(journal, {"--json", "--session", "one"}).out;
  const Json line = Json::parse(out);
  CHECK(line["run"] == "AAAAaaa1");
  CHECK(line["session"] == "one");
  CHECK(line["event"] == "warning");
  CHECK(line["meta"]["line"] == "unused");
  CHECK(line["at"] == WrittenJournal::kStart + 1000);
}

TEST_CASE("following events shows those of later runs") {
  WrittenJournal journal;
  write_two(journal);
  Program program(events_of(journal, {"-f", "--since", "2023-11-14T22:13:22Z"}));
  CHECK_THAT(program.read_line().value(), Contains("failed"));
  journal.start("CCCCccc3", "three", "make");
  journal.event("CCCCccc3", "later", {{"line", "a new run"}});
  CHECK_THAT(program.read_line().value(), Contains("CCCCccc3") && Contains("a new run"));
  journal.event("AAAAaaa1", "again");
  CHECK_THAT(program.read_line().value(), Contains("AAAAaaa1") && Contains("again"));
  program.send_signal(SIGTERM);
  CHECK(program.wait()->code == kDone);
}

TEST_CASE("events of an unknown run or session suggest the nearest name") {
  WrittenJournal journal;
  write_two(journal);
  const Outcome session = events(journal, {"--session", "onne"});
  CHECK(session.status.code == kFailed);
  CHECK_THAT(session.err, Contains("'onne'; did you mean 'one'?"));
  CHECK(events(journal, {"--run", "ZZZZ"}).status.code == kFailed);
  CHECK(events(journal, {"--since", "x"}).status.code == kWrongUse);
}
