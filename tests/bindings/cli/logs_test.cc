// `gibbous logs` over a journal that the test writes: which output it shows, and how long it
// follows.
#include <chrono>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/conversation.h"
#include "tests/support/program.h"
#include "tests/support/terminal_program.h"
#include "tests/support/written_journal.h"

using Catch::Matchers::Contains;
using gibbous::ItemType;
using gibbous::Json;
using namespace gibbous::testing;

namespace {

enum ExitCode { kDone = 0, kFailed = 1, kWrongUse = 2 };

ProgramSpec logs_of(const WrittenJournal& journal, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {command_path(), "logs"});
  arguments.insert(arguments.end(), {"--state", journal.directory()});
  return {.argv = std::move(arguments), .env = {}, .cwd = ""};
}

Outcome logs(const WrittenJournal& journal, std::vector<std::string> arguments) {
  return run_program(logs_of(journal, std::move(arguments)));
}

std::vector<Json> lines_of(const std::string& text) {
  std::vector<Json> lines;
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    lines.push_back(Json::parse(text.substr(begin, end - begin)));
  }
  return lines;
}

}  // namespace

TEST_CASE("logs prints the output of a run, as plain text without a terminal") {
  WrittenJournal journal;
  journal.start("AAAAaaa1", "s", "make");
  journal.out("AAAAaaa1", "one\n\x1b[3");
  journal.err("AAAAaaa1", "oops\n");
  journal.out("AAAAaaa1", "1mtwo\x1b[0m\n\x1b]0;evil\x07");
  journal.event("AAAAaaa1", "seen");
  journal.out("AAAAaaa1", "three");
  journal.end("AAAAaaa1", "completed");
  journal.flush();
  const Outcome all = logs(journal, {"AAAAaaa1"});
  CHECK(all.status.code == kDone);
  CHECK(all.out == "one\noops\ntwo\nthree\n");
  CHECK(logs(journal, {"AAAA", "--stdout"}).out == "one\ntwo\nthree\n");
  CHECK(logs(journal, {"AAAA", "--stderr"}).out == "oops\n");
  CHECK(logs(journal, {"AAAA", "--tail", "2"}).out == "two\nthree\n");
  CHECK(logs(journal, {"AAAA", "--tail", "0"}).out.empty());
  CHECK(logs(journal, {"AAAA", "--tail", "99"}).out == all.out);
  CHECK(logs(journal, {"AAAA", "--since", "4"}).out == "three\n");
}

TEST_CASE("logs notes where output was not recorded") {
  WrittenJournal journal;
  journal.start("AAAAaaa1", "s", "make");
  journal.out("AAAAaaa1", "before");
  journal.lose("AAAAaaa1", 3);
  journal.out("AAAAaaa1", "after\n");
  journal.flush();
  const std::string shown = logs(journal, {"AAAAaaa1"}).out;
  CHECK_THAT(shown, Contains("before\n[gibbous: ") && Contains("]\nafter\n"));
}

TEST_CASE("logs --since begins at a time") {
  WrittenJournal journal;
  journal.start("AAAAaaa1", "s", "make");
  constexpr int kLines = 300;
  for (int line = 0; line < kLines; ++line) {
    journal.out("AAAAaaa1", "line " + std::to_string(line) + "\n");
    journal.advance(std::chrono::seconds(1));
  }
  journal.flush();
  const std::string last = logs(journal, {"AAAA", "--since", "2023-11-14T22:18:18Z"}).out;
  CHECK(last == "line 298\nline 299\n");
  CHECK(logs(journal, {"AAAA", "--since", "1d"}).out.empty());
  CHECK(logs(journal, {"AAAA", "--since", "2023-11-14T22:00Z"}).out == logs(journal, {"AAAA"}).out);
}

TEST_CASE("logs --tail finds the last lines, however the output was split") {
  WrittenJournal journal;
  journal.start("AAAAaaa1", "s", "make");
  constexpr int kLines = 5'000;
  std::string text;
  for (int line = 0; line < kLines; ++line) text += "line " + std::to_string(line) + "\n";
  constexpr std::size_t kPiece = 7;
  for (std::size_t at = 0; at < text.size(); at += kPiece) {
    journal.out("AAAAaaa1", text.substr(at, kPiece));
  }
  journal.flush();
  CHECK(logs(journal, {"AAAA", "--tail", "2"}).out == "line 4998\nline 4999\n");
  const std::string many = logs(journal, {"AAAA", "--tail", "3000"}).out;
  CHECK(many == text.substr(text.find("line 2000\n")));
}

TEST_CASE("logs --json prints every item, with invalid UTF-8 as base64") {
  WrittenJournal journal;
  journal.start("AAAAaaa1", "s", "make");
  journal.out("AAAAaaa1", "text \x1b[31m");
  journal.err("AAAAaaa1", "\xFF\x01");
  journal.event("AAAAaaa1", "seen", {{"line", "x"}});
  journal.add("AAAAaaa1", ItemType::kState, "completed", R"({"exit_code":0})");
  journal.flush();
  const auto lines = lines_of(logs(journal, {"AAAAaaa1", "--json"}).out);
  REQUIRE(lines.size() == 4);
  CHECK(lines[0] == Json{{"seq", 1},
                         {"type", "stdout"},
                         {"at", WrittenJournal::kStart},
                         {"text", "text \x1b[31m"}});
  CHECK(lines[1]["base64"] == "/wE=");
  CHECK(lines[2]["event"] == "seen");
  CHECK(lines[2]["meta"]["line"] == "x");
  CHECK(lines[3]["state"] == "completed");
  CHECK(lines[3]["meta"]["exit_code"] == 0);
}

TEST_CASE("logs keeps colours on a terminal and resets them at the end") {
  WrittenJournal journal;
  journal.start("AAAAaaa1", "s", "make");
  journal.out("AAAAaaa1", "\x1b[31mred\x1b[2J");
  journal.flush();
  ProgramSpec spec = logs_of(journal, {"AAAAaaa1"});
  spec.argv.insert(spec.argv.begin(), {"/usr/bin/env", "TERM=xterm", "NO_COLOR="});
  TerminalProgram program(spec);
  program.until("red");
  CHECK(program.wait().code == kDone);
  CHECK(program.shown() == "\x1b[31mred\x1b[0m\r\n");
}

TEST_CASE("logs redacts secrets, except with --raw") {
  WrittenJournal journal;
  journal.start("AAAAaaa1", "s", "env");
  journal.out("AAAAaaa1", "PASSWORD=hun");
  journal.out("AAAAaaa1", "ter2\nname: x");
  journal.event("AAAAaaa1", "seen", {{"line", "PASSWORD=hunter2"}});
  journal.end("AAAAaaa1", "completed");
  journal.flush();
  CHECK(logs(journal, {"AAAAaaa1"}).out == "PASSWORD=***\nname: x\n");
  CHECK(logs(journal, {"AAAAaaa1", "--raw"}).out == "PASSWORD=hunter2\nname: x\n");
  const auto lines = lines_of(logs(journal, {"AAAAaaa1", "--json"}).out);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0]["text"] == "PASSWORD=***");
  CHECK(lines[1]["text"] == "\nname: x");
  CHECK(lines[2]["meta"]["line"] == "PASSWORD=***");
  CHECK_THAT(logs(journal, {"AAAAaaa1", "--json", "--raw"}).out, Contains("hun\""));
}

TEST_CASE("logs -f shows a question that has no line end") {
  WrittenJournal journal;
  journal.start("AAAAaaa1", "s", "make");
  journal.out("AAAAaaa1", "first\nName: ");
  journal.flush();
  ProgramSpec spec = logs_of(journal, {"AAAAaaa1", "-f"});
  TerminalProgram program(spec);
  program.until("Name: ");
  program.type("\x03");
  CHECK(program.wait().code == kDone);
}

TEST_CASE("logs -f follows the output until the run ends") {
  WrittenJournal journal;
  journal.start("AAAAaaa1", "s", "make");
  journal.out("AAAAaaa1", "first\n");
  journal.flush();
  Program program(logs_of(journal, {"AAAAaaa1", "-f"}));
  CHECK(program.read_line() == "first");
  for (int line = 0; line < 3; ++line) {
    journal.out("AAAAaaa1", "line " + std::to_string(line) + "\n");
    CHECK(program.read_line() == "line " + std::to_string(line));
  }
  journal.out("AAAAaaa1", "last");
  journal.end("AAAAaaa1", "completed");
  CHECK(program.read_rest() == "last\n");
  CHECK(program.wait()->code == kDone);
}

TEST_CASE("logs -f ends on a signal, and when its reader goes away") {
  WrittenJournal journal;
  journal.start("AAAAaaa1", "s", "make");
  journal.out("AAAAaaa1", "first\n");
  journal.flush();
  Program stopped(logs_of(journal, {"AAAAaaa1", "-f"}));
  CHECK(stopped.read_line() == "first");
  stopped.send_signal(SIGINT);
  CHECK(stopped.wait()->code == kDone);
  Program unread(logs_of(journal, {"AAAAaaa1", "-f"}));
  CHECK(unread.read_line() == "first");
  unread.close_stdout();
  CHECK(unread.wait()->code == kDone);
}

TEST_CASE("logs of several runs are whole lines in the order of time, with the names in front") {
  WrittenJournal journal;
  journal.start("AAAAaaa1", "s", "npm start", {{"label", "web"}});
  journal.start("BBBBbbb2", "s", "postgres");
  journal.out("AAAAaaa1", "one\ntw");
  journal.advance(std::chrono::seconds(1));
  journal.out("BBBBbbb2", "10%\r20%\nlast");
  journal.advance(std::chrono::seconds(1));
  journal.err("AAAAaaa1", "oops\n");
  journal.out("AAAAaaa1", "o\n");
  journal.flush();
  CHECK(logs(journal, {"web", "BBBBbbb2", "web"}).out ==
        "web      | one\nBBBBbbb2 | 20%\nweb      | oops\nweb      | two\nBBBBbbb2 | last\n");
  CHECK(logs(journal, {"web", "BBBB", "--tail", "1"}).out == "web      | two\nBBBBbbb2 | last\n");
  const auto lines = lines_of(logs(journal, {"web", "BBBB", "--json"}).out);
  REQUIRE(lines.size() == 4);
  CHECK(lines[0]["run"] == "AAAAaaa1");
  CHECK(lines[1]["run"] == "BBBBbbb2");
  CHECK(logs(journal, {"web", "nonesuch"}).status.code == kFailed);
}

TEST_CASE("logs -f of several runs goes on until all have ended") {
  WrittenJournal journal;
  journal.start("AAAAaaa1", "s", "npm start", {{"label", "web"}});
  journal.start("BBBBbbb2", "s", "postgres", {{"label", "db"}});
  journal.out("AAAAaaa1", "first\n");
  journal.flush();
  Program program(logs_of(journal, {"web", "db", "-f"}));
  CHECK(program.read_line() == "web | first");
  journal.out("AAAAaaa1", "the end");
  journal.end("AAAAaaa1", "completed");
  CHECK(program.read_line() == "web | the end");
  journal.out("BBBBbbb2", "still here\n");
  CHECK(program.read_line() == "db  | still here");
  journal.end("BBBBbbb2", "completed");
  CHECK(program.read_rest().empty());
  CHECK(program.wait()->code == kDone);
}

TEST_CASE("logs -f of a run whose host was killed ends with an error") {
  WrittenJournal journal;
  // No process has this pid: it is above the kernel's maximum.
  journal.start("AAAAaaa1", "s", "make", {{"pid", 1 << 30}, {"pid_started", 1}});
  journal.flush();
  const Outcome outcome = logs(journal, {"AAAAaaa1", "-f"});
  CHECK(outcome.status.code == kFailed);
  CHECK_THAT(outcome.err, Contains("AAAAaaa1") && Contains("its host is gone"));
}

TEST_CASE("a label stands for the run that has it and has not ended, else for the newest one") {
  WrittenJournal journal;
  journal.start("AAAAaaa1", "s", "npm start", {{"label", "web"}});
  journal.out("AAAAaaa1", "first\n");
  journal.start("BBBBbbb2", "s", "npm start", {{"label", "web"}});
  journal.out("BBBBbbb2", "second\n");
  journal.end("BBBBbbb2", "completed");
  journal.flush();
  CHECK(logs(journal, {"web"}).out == "first\n");
  journal.end("AAAAaaa1", "completed");
  journal.flush();
  CHECK(logs(journal, {"web"}).out == "second\n");
  CHECK_THAT(logs(journal, {"wbe"}).err, Contains("'wbe'; did you mean 'web'?"));
}

TEST_CASE("a label that several running runs have is ambiguous, and their ids are named") {
  WrittenJournal journal;
  journal.start("AAAAaaa1", "s", "npm start", {{"label", "web"}});
  journal.start("BBBBbbb2", "s", "npm start", {{"label", "web"}});
  journal.flush();
  const Outcome outcome = logs(journal, {"web"});
  CHECK(outcome.status.code == kFailed);
  CHECK_THAT(outcome.err,
             Contains("more than one run has the label 'web': 'BBBBbbb2', 'AAAAaaa1'"));
}

TEST_CASE("a label means the run of the workspace in which the caller is") {
  WrittenJournal journal;
  const TempDir workspace;
  for (const auto& [id, place] : {std::pair{"AAAAaaa1", workspace.path()},
                                  std::pair{"BBBBbbb2", std::string("/elsewhere")}}) {
    journal.in(place);
    journal.start(id, "s", "npm start", {{"label", "web"}});
    journal.out(id, std::string(id) + "\n");
  }
  journal.flush();
  ProgramSpec spec = logs_of(journal, {"web"});
  spec.cwd = workspace.path();
  CHECK(run_program(spec).out == "AAAAaaa1\n");
}

TEST_CASE("an unknown run is quoted with the nearest id") {
  WrittenJournal journal;
  journal.start("AAAAaaa1", "s", "make");
  journal.start("AAAAbbb2", "s", "make");
  journal.flush();
  const Outcome near = logs(journal, {"AAAAaab1"});
  CHECK(near.status.code == kFailed);
  CHECK(near.out.empty());
  CHECK_THAT(near.err, Contains("'AAAAaab1'; did you mean 'AAAAaaa1'?"));
  CHECK_THAT(logs(journal, {"AAAA"}).err, Contains("more than one run begins with 'AAAA'"));
  CHECK(Json::parse(logs(journal, {"x", "--json"}).out)["error"]["code"] == "run_not_found");
}

TEST_CASE("wrong use of logs is explained") {
  const WrittenJournal journal;
  CHECK(logs(journal, {}).status.code == kWrongUse);
  CHECK(logs(journal, {"x", "--stdout", "--stderr"}).status.code == kWrongUse);
  CHECK(logs(journal, {"x", "--tail", "many"}).status.code == kWrongUse);
  CHECK(logs(journal, {"x", "--tail", "1", "--since", "1"}).status.code == kWrongUse);
  const Outcome since = logs(journal, {"x", "--since", "soon"});
  CHECK(since.status.code == kWrongUse);
  CHECK_THAT(since.err, Contains("--since: expected") && Contains("'soon'"));
}

TEST_CASE("the commands report a missing journal") {
  const TempDir empty;
  for (const char* command : {"ps", "logs x"}) {
    const std::string line = command;
    std::vector<std::string> argv = {command_path(), line.substr(0, line.find(' '))};
    if (line.find(' ') != std::string::npos) argv.push_back("x");
    argv.insert(argv.end(), {"--state", empty.path() + "/none"});
    const Outcome outcome = run_program({.argv = argv, .env = {}, .cwd = ""});
    INFO(line);
    CHECK(outcome.status.code == kFailed);
    CHECK_THAT(outcome.err, Contains(empty.path()));
  }
}
