// `gibbous attach` at a terminal, over a journal that the test writes, and one of a real session.
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/conversation.h"
#include "tests/support/loop.h"
#include "tests/support/terminal_program.h"
#include "tests/support/written_journal.h"

using Catch::Matchers::Contains;
using gibbous::ItemType;
using gibbous::Json;
using namespace gibbous::testing;

namespace {

constexpr const char* kLeaveScreen = "\x1b[?25h\x1b[?1049l";

ProgramSpec attach_to(const WrittenJournal& journal, const std::string& run) {
  return {.argv = {command_path(), "attach", run, "--state", journal.directory()},
          .env = {{"TERM", "xterm"}},
          .cwd = ""};
}

void write_terminal_run(WrittenJournal& journal) {
  journal
      .start("AAAAaaa1", "s", "python3",
             {{"label", "repl"}, {"terminal", {{"rows", 10}, {"cols", 40}}}})
      .pty = true;
  journal.put("AAAAaaa1");
  journal.add("AAAAaaa1", ItemType::kTerminal,
              "\x1b[2Jold\r\x1b[32mnew\x1b[0m \x1b]0;evil\x07>>> ");
  journal.flush();
}

}  // namespace

TEST_CASE("attach draws what the terminal of a run shows, until the run ends") {
  WrittenJournal journal;
  write_terminal_run(journal);
  TerminalProgram attach(attach_to(journal, "repl"));
  attach.until("\x1b[0;32mnew\x1b[0m >>>");
  attach.until("attached to AAAAaaa1, read-only");
  journal.add("AAAAaaa1", ItemType::kTerminal, "2+2\r\n4\r\nPASSWORD=hunter2\r\n");
  attach.until("PASSWORD=***");
  journal.end("AAAAaaa1", "completed");
  CHECK(attach.wait().code == 0);
  const std::string shown = attach.shown();
  CHECK_THAT(shown, Contains(kLeaveScreen) && Contains("[gibbous: completed]") &&
                        !Contains("evil") && !Contains("hunter2"));
}

TEST_CASE("q and Ctrl-C leave a run that goes on") {
  for (const char* key : {"q", "\x03"}) {
    WrittenJournal journal;
    write_terminal_run(journal);
    TerminalProgram attach(attach_to(journal, "AAAA"));
    attach.until("attached to");
    attach.type(key);
    CHECK(attach.wait().code == 0);
    CHECK_THAT(attach.shown(), Contains("the run goes on"));
  }
}

TEST_CASE("attach follows a run without a terminal as logs -f does") {
  WrittenJournal journal;
  journal.start("AAAAaaa1", "s", "make");
  journal.out("AAAAaaa1", "one\n");
  journal.flush();
  Program attach(attach_to(journal, "AAAAaaa1"));
  CHECK(attach.read_line() == "one");
  journal.out("AAAAaaa1", "two\n");
  CHECK(attach.read_line() == "two");
  journal.end("AAAAaaa1", "completed");
  CHECK(attach.wait()->code == 0);
}

TEST_CASE("attach follows the size of the run's terminal") {
  WrittenJournal journal;
  write_terminal_run(journal);
  TerminalProgram attach(attach_to(journal, "AAAA"));
  attach.until("   10x40   ");
  const std::string wide(70, 'x');  // two rows of the old size
  journal.add("AAAAaaa1", ItemType::kTerminal, "", R"({"rows":20,"cols":78})");
  journal.add("AAAAaaa1", ItemType::kTerminal, "\x1b[2J\x1b[H" + wide + "end");
  attach.until(wide + "end");
  attach.until("   20x78   ");
  journal.add("AAAAaaa1", ItemType::kTerminal, "", R"({"rows":0,"cols":"wide"})");
  journal.add("AAAAaaa1", ItemType::kTerminal, "\x1b[2J\x1b[Hafter");
  attach.until("after");
  attach.until("   20x78   ");
  journal.end("AAAAaaa1", "completed");
  CHECK(attach.wait().code == 0);
}

TEST_CASE("a smaller terminal shows the part around the cursor, and its own size may change") {
  WrittenJournal journal;
  write_terminal_run(journal);
  TerminalProgram attach(attach_to(journal, "AAAA"));
  attach.until("   10x40   ");
  attach.resize(4, 10);
  journal.add("AAAAaaa1", ItemType::kTerminal,
              "\x1b[2J\x1b[1;1Hfirst row\x1b[9;22Habove\x1b[10;20Hcursor here");
  const std::string end = "\x1b[0m\x1b[K\r\n";
  attach.until("above" + end + "rsor here" + end);
  attach.until("part of 10x40");
  attach.resize(24, 80);
  attach.until("first row");
  attach.until("   10x40   ");
  journal.end("AAAAaaa1", "completed");
  CHECK(attach.wait().code == 0);
}

TEST_CASE("a viewer never changes the size of a run's terminal, whose changes it sees") {
  const TempDir dir;
  Conversation session({"--mode", "dangerous", "--state", dir.path()});
  const auto answer =
      session.call("bg_start",
                   {{"command", "read a; stty size; stty rows 30 cols 100; read a; stty size; cat"},
                    {"pty", true}},
                   "s");
  const std::string run = answer.at("result").at("data").at("id");
  const ProgramSpec spec = {.argv = {command_path(), "attach", run, "--state", dir.path()},
                            .env = {{"TERM", "xterm"}},
                            .cwd = ""};
  const auto press_enter = [&] {
    CHECK(session.call("bg_input", {{"id", run}, {"keys", "<Enter>"}}, "s").contains("result"));
  };
  Loop loop;  // there is no event for the journal
  REQUIRE(loop.until([&] {
    return run_program({.argv = {command_path(), "ps", "--state", dir.path()}}).out.find(run) !=
           std::string::npos;
  }));
  TerminalProgram attach(spec);
  attach.until("part of 24x80");  // its last row has the status
  attach.resize(40, 90);
  attach.until("   24x80   ");
  attach.resize(10, 40);
  attach.until("part of 24x80");
  press_enter();
  attach.until("24 80");
  press_enter();
  attach.until("30 100");
  attach.until("part of 30x100");
  attach.resize(40, 120);
  attach.until("   30x100   ");
  TerminalProgram later(spec);
  later.until("30 100");
  later.until("30x100");
  for (TerminalProgram* each : {&attach, &later}) {
    each->type("q");
    CHECK(each->wait().code == 0);
  }
}
