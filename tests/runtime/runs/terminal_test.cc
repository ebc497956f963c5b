// Runs with terminals: what their programs see, and showing, typing, resizing and ending.
#include <signal.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "runtime/terminal/screen.h"
#include "tests/runtime/runs/table.h"

namespace gibbous {
namespace {

using testing::kShortGrace;
using testing::Table;

class Desk {
 public:
  explicit Desk(RunLimits limits = {}) : table(limits) {}

  Run& start(const std::string& command, TerminalSpec terminal = {}) {
    RunSpec spec;
    spec.command = command;
    spec.terminal = terminal;
    return table.start(std::move(spec));
  }
  void type(Run& run, const std::string& keys) {
    const auto strokes = parse_keys(keys);
    REQUIRE(strokes.ok());
    bool written = false;
    table.runs->write(run, run.screen()->encode(*strokes), [&](const Status& status) {
      INFO(status.message());
      REQUIRE(status.ok());
      written = true;
    });
    REQUIRE(table.loop.until([&] { return written; }));
  }
  static bool shows(const Run& run, const std::string& text) {
    for (const ScreenRow& row : run.screen()->rows()) {
      if (row.text.find(text) != std::string::npos) return true;
    }
    return false;
  }
  void until_shown(const Run& run, const std::string& text) {
    const bool shown = table.loop.until([&] { return shows(run, text); });
    INFO(text << " is not in:\n" << all(run));
    REQUIRE(shown);
  }
  // The shell reads keys in its own mode; earlier keys may have met another one.
  void until_prompt(const Run& run) {
    const bool shown = table.loop.until([&] {
      const auto& rows = run.screen()->rows();
      const auto last = std::find_if(rows.rbegin(), rows.rend(),
                                     [](const ScreenRow& row) { return !row.text.empty(); });
      return last != rows.rend() && (last->text == "$" || last->text == "$ ");
    });
    INFO("no prompt at the end of:\n" << all(run));
    REQUIRE(shown);
  }
  // Typed by us, and written by a program.
  void until_twice(const Run& run, const std::string& text) {
    REQUIRE(table.loop.until([&] {
      const auto& rows = run.screen()->rows();
      return std::count_if(rows.begin(), rows.end(),
                           [&](const ScreenRow& row) { return row.text == text; }) == 2;
    }));
  }
  static std::string all(const Run& run) {
    std::string text;
    for (const ScreenRow& row : run.screen()->rows()) text += row.text + "\n";
    return text;
  }

  Table table;
};

TEST_CASE("a line that a terminal would cut is refused as a whole, and the next one is typed") {
  Desk desk;
  Run& run = desk.start("stty -echo; echo go; read -r line; echo bytes=${#line}");
  desk.until_shown(run, "go");
  const auto write = [&](const std::string& text) {
    std::optional<Status> answer;
    desk.table.runs->write(run, text, [&](const Status& status) { answer = status; });
    REQUIRE(desk.table.loop.until([&] { return answer.has_value(); }));
    return *answer;
  };
  CHECK(write(std::string(4000, 'a')).ok());
  const Status refused = write(std::string(96, 'b') + "\n");
  CHECK(refused.code() == "line_too_long");
  CHECK(refused.message().find("4096 bytes") != std::string::npos);
  CHECK(write(std::string(95, 'b') + "\n").ok());
  desk.until_shown(run, "bytes=4095");
}

TEST_CASE("a run with a terminal has it as stdin, stdout, stderr and controlling terminal") {
  Desk desk;
  Run& run = desk.start(
      "test -t 0 && test -t 1 && test -t 2 && echo three; echo err >&2; "
      "echo tty > /dev/tty; ps -o stat= -p $$; :");
  desk.table.until_ended(run);
  CHECK(run.state() == RunState::kCompleted);
  CHECK(desk.shows(run, "three"));
  CHECK(desk.shows(run, "err"));
  CHECK(desk.shows(run, "tty"));
  CHECK(desk.shows(run, "Ss+"));  // leads its session, in the foreground
  CHECK(Table::text(run, StreamId::kStdout).find("three\r\n") != std::string::npos);
  CHECK(run.stream(StreamId::kStderr).ended());
  CHECK(run.stream(StreamId::kStderr).end() == 0);
}

TEST_CASE("no descriptor other than the terminal's three reaches a run") {
  Desk desk;
  Run& run = desk.start("ls /proc/self/fd | tr '\\n' ' '");
  desk.table.until_ended(run);
  CHECK(desk.shows(run, "0 1 2 3"));  // 3 is ls reading the directory
  CHECK(!desk.shows(run, "0 1 2 3 4"));
}

TEST_CASE("an observer of the end sees all output of the terminal before it") {
  Desk desk;
  for (int i = 0; i < 20; ++i) {
    Run& run = desk.start("seq 1 20000");
    desk.table.until_ended(run);
    const std::string out = Table::text(run, StreamId::kStdout);
    REQUIRE(out.substr(out.size() - 7) == "20000\r\n");
    REQUIRE(desk.table.loop.until([&] { return run.drained(); }));
    REQUIRE(!run.output_incomplete());
  }
}

TEST_CASE("the terminal has the requested size and kind") {
  Desk desk;
  TerminalSpec terminal;
  terminal.size = {30, 100};
  terminal.term = "vt100";
  Run& run = desk.start("echo $TERM/$COLUMNS/$LINES; stty size", terminal);
  desk.table.until_ended(run);
  CHECK(desk.shows(run, "30 100"));
  CHECK(desk.shows(run, "vt100//"));
  CHECK(run.screen()->size() == TerminalSize{30, 100});
}

TEST_CASE("a size out of range is refused before anything starts") {
  Desk desk;
  RunSpec spec;
  spec.command = "true";
  spec.terminal = TerminalSpec{{1, 80}, "xterm"};
  CHECK(desk.table.runs->start(spec, nullptr).status().code() == "invalid_arguments");
}

TEST_CASE("a new size reaches the foreground as SIGWINCH") {
  Desk desk;
  // bash runs no trap before its read has ended.
  Run& run = desk.start(
      R"(exec perl -e '$SIG{WINCH} = sub { system "stty size" }; $| = 1; print "ready\n"; )"
      R"(sleep 1 while 1')");
  desk.until_shown(run, "ready");
  REQUIRE(desk.table.runs->resize(run, {40, 120}).ok());
  desk.until_shown(run, "40 120");
  CHECK(run.screen()->size() == TerminalSize{40, 120});
  CHECK(desk.table.runs->resize(run, {1, 1}).code() == "invalid_arguments");
  desk.table.kill(run);
  CHECK(desk.table.runs->resize(run, {24, 80}).code() == "not_running");
}

TEST_CASE("the screen follows a program that changes the size itself") {
  Desk desk;
  Run& run = desk.start("stty rows 33 cols 99; echo changed; read x");
  desk.until_shown(run, "changed");
  CHECK(run.screen()->size() == TerminalSize{33, 99});
  desk.table.kill(run);
}

TEST_CASE("a run without a terminal has no screen and no size") {
  Desk desk;
  Run& run = desk.table.sh("exec sleep 600");
  CHECK(run.screen() == nullptr);
  CHECK(desk.table.runs->resize(run, {24, 80}).code() == "no_terminal");
  CHECK(desk.table.runs->echo(run) != Echo::kNobody);
  desk.table.kill(run);
}

TEST_CASE("keys that signal reach the foreground, and jobs are controlled") {
  Desk desk;
  RunSpec spec;
  spec.argv = {"bash", "--norc", "-i"};
  spec.env = {{"PS1", "$ "}};
  spec.terminal = TerminalSpec{};
  Run& run = desk.table.start(std::move(spec));
  desk.until_shown(run, "$");
  desk.type(run, "sleep 600 & jobs<Enter>");
  desk.until_shown(run, "Running");
  desk.until_prompt(run);
  desk.type(run, "sh -c 'echo in$((1))side; exec cat'<Enter>");
  desk.until_shown(run, "in1side");
  desk.type(run, "ping<Enter>");
  desk.until_twice(run, "ping");
  desk.type(run, "<C-z>");
  desk.until_shown(run, "Stopped");
  desk.until_prompt(run);
  desk.type(run, "clear; fg<Enter>");
  REQUIRE(desk.table.loop.until(
      [&] { return desk.shows(run, "exec cat") && !desk.shows(run, "Stopped"); }));
  desk.type(run, "pong<Enter>");
  desk.until_twice(run, "pong");
  desk.type(run, "<C-c>");
  desk.until_shown(run, "^C");
  desk.until_prompt(run);
  desk.type(run, "echo st$((1))ll<Enter>");
  desk.until_shown(run, "st1ll");
  desk.until_prompt(run);
  desk.type(run, "<C-d>");
  desk.table.until_ended(run);
  CHECK(run.state() == RunState::kCompleted);
}

TEST_CASE("queries of programs to the terminal are answered on its input") {
  Desk desk;
  Run& run = desk.start(
      "stty raw -echo; printf '\\033[6n'; head -c 6 | od -c | head -1; stty sane; echo done");
  desk.table.until_ended(run);
  CHECK(desk.shows(run, "033   [   1   ;   1   R"));
}

TEST_CASE("a program that sends a thousand queries and reads nothing costs little") {
  Desk desk;
  Run& run = desk.start(
      "stty raw -echo; i=0; while [ $i -lt 3000 ]; do printf '\\033[c\\033[6n'; "
      "i=$((i+1)); done; printf 'asked\\r\\n'; exec sleep 600");
  desk.until_shown(run, "asked");
  desk.table.kill(run);
}

TEST_CASE("a password prompt is recognised by its disabled echo") {
  Desk desk;
  Run& run = desk.start("echo hello; stty -echo; echo now; read x; stty echo; echo again; read y");
  desk.until_shown(run, "now");
  CHECK(desk.table.runs->echo(run) == Echo::kNobody);
  desk.type(run, "secret<Enter>");
  desk.until_shown(run, "again");
  CHECK(desk.table.runs->echo(run) != Echo::kNobody);
  CHECK(!desk.shows(run, "secret"));
  desk.table.kill(run);
}

TEST_CASE("a raw program that echoes its input is not a password prompt") {
  Desk desk;
  Run& run = desk.start("stty -icanon -echo; echo raw; read x");
  desk.until_shown(run, "raw");
  CHECK(desk.table.runs->echo(run) != Echo::kNobody);
  desk.table.kill(run);
}

TEST_CASE("an interactive shell, which ignores SIGTERM, ends by the signal of its terminal") {
  Desk desk;
  RunSpec spec;
  spec.argv = {"bash", "--norc", "-i"};
  spec.env = {{"PS1", "$ "}};
  spec.terminal = TerminalSpec{};
  Run& run = desk.table.start(std::move(spec));
  desk.until_shown(run, "$");
  // It may miss one that comes just before it begins to read.
  CHECK(desk.table.loop.until([&] {
    desk.table.runs->signal(run, stop_signal(run.spec()));
    return run.ended();
  }));
  CHECK(run.state() == RunState::kKilled);
}

TEST_CASE("a kill ends the whole tree of a terminal, stopped jobs and those that ignore SIGHUP") {
  Desk desk;
  RunSpec spec;
  spec.argv = {"bash", "--norc", "-i"};
  spec.env = {{"PS1", "$ "}};
  spec.terminal = TerminalSpec{};
  Run& run = desk.table.start(std::move(spec));
  desk.until_shown(run, "$");
  desk.type(run,
            "nohup sleep 601 >/dev/null 2>&1 & setsid sleep 602 & "
            "sh -c 'echo in$((1))side; exec sleep 603'<Enter>");
  desk.until_shown(run, "in1side");
  desk.type(run, "<C-z>");
  desk.until_shown(run, "Stopped");
  const KillReport report = desk.table.kill(run, SIGHUP, kShortGrace);
  CHECK(report.survivors.empty());
  CHECK(report.dead >= 4);
}

TEST_CASE("a time limit ends a run with a terminal") {
  RunLimits limits;
  limits.timeout_grace = kShortGrace;
  Desk desk(limits);
  RunSpec spec;
  spec.argv = {"cat"};
  spec.terminal = TerminalSpec{};
  spec.timeout = Millis{100};
  Run& run = desk.table.start(std::move(spec));
  desk.table.until_ended(run);
  CHECK(run.state() == RunState::kTimeout);
}

TEST_CASE("a background job that keeps the terminal open delays no exit") {
  Desk desk;
  Run& run = desk.start("trap '' HUP; sleep 600 & echo left");
  desk.table.until_ended(run);
  CHECK(run.state() == RunState::kCompleted);
  CHECK(desk.shows(run, "left"));
  desk.table.kill(run);
}

TEST_CASE("typing into an ended run is refused") {
  Desk desk;
  Run& run = desk.start("true");
  desk.table.until_ended(run);
  Status answer;
  bool answered = false;
  desk.table.runs->write(run, "x", [&](const Status& status) {
    answer = status;
    answered = true;
  });
  REQUIRE(desk.table.loop.until([&] { return answered; }));
  CHECK(answer.code() == "stdin_closed");
  CHECK(run.screen() != nullptr);  // what it showed last
}

TEST_CASE("typed text waits while the program does not read, and arrives whole") {
  Desk desk;
  constexpr int kLines = 3000;
  Run& run = desk.start(
      "stty -echo; echo ready; sleep 0.3; head -n 3000 | sort -u | tr '\\n' '+'; echo end");
  desk.until_shown(run, "ready");
  std::string lines;
  for (int i = 0; i < kLines; ++i) lines += "same line of input\n";
  desk.table.runs->write(run, lines, [](const Status&) {});
  desk.until_shown(run, "same line of input+end");
  desk.table.until_ended(run);
}

TEST_CASE("thousands of rows are shown by their end and counted as scrolled") {
  Desk desk;
  Run& run = desk.start("seq 1 5000");
  desk.table.until_ended(run);
  CHECK(desk.shows(run, "5000"));
  CHECK(run.screen()->scrolled() == 5000 - 23);
  CHECK(run.screen()->scrollback().back() == "4977");
}

TEST_CASE("a sandboxed run has a terminal, and cannot type into it") {
  Desk desk;
  RunSpec spec;
  spec.command =
      "tty >/dev/null && echo own; (: >/dev/tty) && echo open; stty size; "
      "python3 -c 'import fcntl,termios\ntry: fcntl.ioctl(0, termios.TIOCSTI, b\"x\")\n"
      "except OSError as e: print(\"refused\", e.errno)'";
  spec.terminal = TerminalSpec{};
  SandboxSpec sandbox;
  sandbox.profile = "test";
  sandbox.read = {"/"};
  spec.sandbox = sandbox;
  bool ready = false;
  Status answer;
  auto started = desk.table.runs->start(std::move(spec), [&](Run&, const Status& status) {
    ready = true;
    answer = status;
  });
  REQUIRE(started.ok());
  REQUIRE(desk.table.loop.until([&] { return ready; }));
  if (!answer.ok()) {
    WARN("NOT TESTED: " << answer.message());
    return;
  }
  Run& run = **started;
  desk.table.until_ended(run);
  INFO(desk.all(run));
  CHECK(desk.shows(run, "own"));
  CHECK(desk.shows(run, "open"));
  CHECK(desk.shows(run, "24 80"));
  CHECK(desk.shows(run, "refused"));
}

}  // namespace
}  // namespace gibbous
