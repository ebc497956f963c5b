// `gibbous top` at a terminal, over a journal that the test writes.
#include <string>
#include <vector>

#include "runtime/journal/journal_reader.h"
#include "tests/support/catch.h"
#include "tests/support/conversation.h"
#include "tests/support/terminal_program.h"
#include "tests/support/written_journal.h"

using Catch::Matchers::Contains;
using namespace gibbous::testing;

namespace {

constexpr const char* kEnterScreen = "\x1b[?1049h";
constexpr const char* kLeaveScreen = "\x1b[?25h\x1b[?1049l";

ProgramSpec top_of(const WrittenJournal& journal) {
  return {.argv = {command_path(), "top", "--state", journal.directory()}, .env = {}, .cwd = ""};
}

void write_run(WrittenJournal& journal) {
  journal.start("AAAAaaa1", "s", "make all");
  journal.out("AAAAaaa1", "first line\n");
  journal.flush();
}

}  // namespace

TEST_CASE("top shows the runs, follows a log and restores the terminal") {
  WrittenJournal journal;
  write_run(journal);
  TerminalProgram top(top_of(journal));
  top.until(kEnterScreen);
  top.until("make all");
  top.type("kn");
  top.until("not killed");
  top.type("ky");
  top.until("asked for the kill of AAAAaaa1");
  const auto reader = gibbous::JournalReader::open(journal.directory());
  REQUIRE(reader.ok());
  CHECK((*reader)->requests("", 10)->size() == 1);
  top.type("\r");
  top.until("log of AAAAaaa1");
  top.until("first line");
  journal.out("AAAAaaa1", "second line\n");
  top.until("second line");
  top.type("q");
  top.until("sort:");
  journal.start("BBBBbbb2", "s", "a new one");
  top.until("a new one");
  top.type("q");
  CHECK(top.wait().code == 0);
  CHECK_THAT(top.shown(), Contains(kLeaveScreen));
}

TEST_CASE("top restores the terminal when a key or a signal ends it") {
  for (const int number : {0, SIGTERM, SIGHUP, SIGINT, SIGQUIT}) {
    INFO(number);
    WrittenJournal journal;
    write_run(journal);
    TerminalProgram top(top_of(journal));
    top.until("make all");
    if (number == 0) {
      top.type("\x03");
    } else {
      top.send_signal(number);
    }
    CHECK(top.wait().code == 0);
    CHECK_THAT(top.shown(), Contains(kLeaveScreen));
  }
}

TEST_CASE("top follows a resize of the terminal") {
  WrittenJournal journal;
  write_run(journal);
  TerminalProgram top(top_of(journal));
  top.until("make all");
  top.resize(6, 70);
  // Six lines: the sums, the headings, the run, two empty ones, the keys.
  const std::string end = "\x1b[0m\x1b[K\r\n";
  top.until("make all" + end + end + end + "\x1b[2mup/down");
  top.type("q");
  CHECK(top.wait().code == 0);
}

TEST_CASE("top without a terminal suggests ps") {
  WrittenJournal journal;
  write_run(journal);
  const Outcome outcome = run_program(top_of(journal));
  CHECK(outcome.status.code == 1);
  CHECK(outcome.out.empty());
  CHECK_THAT(outcome.err, Contains("gibbous ps"));
}
