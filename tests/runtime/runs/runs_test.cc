// Runs: from queued to ended, with the real keeper and real children.
#include "runtime/runs/runs.h"

#include <signal.h>
#include <unistd.h>

#include <filesystem>

#include "runtime/output/text.h"
#include "tests/runtime/runs/table.h"

namespace gibbous {
namespace {

using testing::kShortGrace;
using testing::Loop;
using testing::Table;

TEST_CASE("a command that succeeds ends as completed with exit code 0") {
  Table table;
  Run& run = table.sh("echo hello");
  REQUIRE(run.id().size() == 8);
  REQUIRE(run.pid() > 0);
  table.until_ended(run);
  REQUIRE(run.state() == RunState::kCompleted);
  REQUIRE(run.exit_status()->code == 0);
  REQUIRE(run.reason() == "exit code 0");
}

TEST_CASE("an observer of the end sees all output of the command before it") {
  Table table;
  for (int i = 0; i < 20; ++i) {
    Run& run = table.sh("seq 1 20000; echo err >&2");
    table.until_ended(run);
    const std::string out = Table::text(run, StreamId::kStdout);
    REQUIRE(out.substr(out.size() - 6) == "20000\n");
    REQUIRE(Table::text(run, StreamId::kStderr) == "err\n");
  }
}

TEST_CASE("a command that fails ends as failed with its exit code") {
  Table table;
  Run& run = table.sh("exit 3");
  table.until_ended(run);
  REQUIRE(run.state() == RunState::kFailed);
  REQUIRE(run.exit_status()->code == 3);
}

TEST_CASE("a run that crashes is failed, and one ended by a foreign stop signal is killed") {
  Table table;
  Run& crash = table.sh("kill -SEGV $$");
  Run& stopped = table.sh("kill -TERM $$");
  table.until_ended(crash);
  table.until_ended(stopped);
  REQUIRE(crash.state() == RunState::kFailed);
  REQUIRE(crash.reason().find("SIGSEGV") != std::string::npos);
  REQUIRE(stopped.state() == RunState::kKilled);
}

TEST_CASE("argv runs a program without a shell") {
  Table table;
  RunSpec spec;
  spec.argv = {"echo", "a  b", "$HOME", "; exit 4"};
  Run& run = table.start(spec);
  table.until_ended(run);
  REQUIRE(Table::text(run, StreamId::kStdout) == "a  b $HOME ; exit 4\n");
  REQUIRE(run.command_text() == "echo 'a  b' '$HOME' '; exit 4'");
}

TEST_CASE("environment and directory are those of the spec") {
  Table table;
  testing::TempDir directory;
  RunSpec spec;
  spec.command = "echo $COLOUR $SHAPE $GIBBOUS_RUN; pwd -P";
  spec.env = {{"SHAPE", "round"}};
  spec.unset_env = {"COLOUR"};
  spec.cwd = directory.path();
  Run& run = table.start(spec);
  table.until_ended(run);
  REQUIRE(Table::text(run, StreamId::kStdout) ==
          "round " + run.id() + "\n" + std::filesystem::canonical(directory.path()).string() +
              "\n");
}

TEST_CASE("a program that does not exist is a clear error") {
  Table table;
  RunSpec spec;
  spec.argv = {"no-such-program-anywhere"};
  Status status;
  Run& run = table.start(spec, &status);
  REQUIRE(status.code() == "start_failed");
  REQUIRE(status.message().find("no-such-program-anywhere") != std::string::npos);
  REQUIRE(status.message().find("No such file") != std::string::npos);
  REQUIRE(run.state() == RunState::kFailed);
  REQUIRE(table.runs->active() == 0);
}

TEST_CASE("a directory that does not exist is a clear error") {
  Table table;
  RunSpec spec;
  spec.command = "true";
  spec.cwd = "/no/such/directory";
  Status status;
  table.start(spec, &status);
  REQUIRE(status.message().find("/no/such/directory") != std::string::npos);
}

TEST_CASE("runs beyond max_concurrent are refused, with what to do") {
  RunLimits limits;
  limits.max_concurrent = 2;
  Table table(limits);
  Run& first = table.sh("exec sleep 600");
  Run& second = table.sh("exec sleep 600");
  RunSpec spec;
  spec.command = "true";
  auto refused = table.runs->start(spec, nullptr);
  REQUIRE(refused.status().code() == "too_many_runs");
  REQUIRE(refused.status().message() ==
          "Max concurrent processes (2) reached. Kill a process first. These run: " + first.id() +
              " (exec sleep 600), " + second.id() + " (exec sleep 600).");
  spec.client = "another";
  REQUIRE(table.runs->start(spec, nullptr).ok());
  spec.client = "";
  REQUIRE_FALSE(table.runs->start(spec, nullptr).ok());
  table.kill(first);
  REQUIRE(table.runs->start(spec, nullptr).ok());
}

TEST_CASE("a run that waits for a place of its owner lets those of others pass") {
  RunLimits limits;
  limits.max_concurrent = 1;
  Table table(limits);
  RunSpec spec;
  spec.queue_when_full = true;
  spec.command = "exec sleep 600";
  spec.client = "one";
  Run& first = **table.runs->start(spec, nullptr);
  Run& waiting = **table.runs->start(spec, nullptr);
  spec.client = "another";
  Run& other = **table.runs->start(spec, nullptr);
  spec.command = "true";
  Run& last = **table.runs->start(spec, nullptr);
  REQUIRE(last.state() == RunState::kQueued);
  table.kill(other);
  table.until_ended(last);
  REQUIRE(waiting.state() == RunState::kQueued);
  table.kill(first);
  REQUIRE(table.loop.until([&] { return waiting.state() == RunState::kRunning; }));
}

TEST_CASE("a queued run starts when another ends") {
  RunLimits limits;
  limits.max_concurrent = 1;
  Table table(limits);
  Run& first = table.sh("exec sleep 600");
  RunSpec spec;
  spec.command = "echo second";
  spec.queue_when_full = true;
  auto second = table.runs->start(spec, nullptr);
  REQUIRE(second.ok());
  REQUIRE((*second)->state() == RunState::kQueued);
  table.kill(first);
  table.until_ended(**second);
  REQUIRE(Table::text(**second, StreamId::kStdout) == "second\n");
}

TEST_CASE("a queued run that is killed never starts") {
  RunLimits limits;
  limits.max_concurrent = 1;
  Table table(limits);
  table.sh("exec sleep 600");
  RunSpec spec;
  spec.command = "echo never";
  spec.queue_when_full = true;
  Status status;
  auto queued = table.runs->start(spec, [&](Run&, Status result) { status = std::move(result); });
  REQUIRE(table.kill(**queued).how == KillReport::How::kGone);
  REQUIRE((*queued)->state() == RunState::kKilled);
  REQUIRE(status.code() == "start_failed");
}

TEST_CASE("kill ends a run and reports how") {
  Table table;
  Run& run = table.sh("exec sleep 600");
  const KillReport report = table.kill(run);
  REQUIRE(report.how == KillReport::How::kSignal);
  REQUIRE(report.survivors.empty());
  REQUIRE(run.state() == RunState::kKilled);
  REQUIRE(run.reason() == "killed with SIGTERM");
}

TEST_CASE("kill escalates to SIGKILL after the grace period") {
  Table table;
  Run& run = table.sh("trap '' TERM; echo ready; while :; do sleep 1; done");
  REQUIRE(table.loop.until([&] { return run.stream(StreamId::kStdout).end() > 0; }));
  REQUIRE(table.kill(run).how == KillReport::How::kEscalated);
  REQUIRE(run.state() == RunState::kKilled);
  REQUIRE(run.reason() == "killed with SIGKILL, after SIGTERM");
}

TEST_CASE("kill of a run that has ended reports that nothing was left") {
  Table table;
  Run& run = table.sh("true");
  table.until_ended(run);
  REQUIRE(table.kill(run).how == KillReport::How::kGone);
  REQUIRE(run.state() == RunState::kCompleted);
}

TEST_CASE("kill ends what the run left behind, even after its leader has ended") {
  Table table;
  Run& run = table.sh("setsid sleep 600 >/dev/null 2>&1 & sleep 600 >/dev/null 2>&1 & exit 0");
  table.until_ended(run);
  REQUIRE(run.state() == RunState::kCompleted);
  REQUIRE(table.loop.until([&] { return run.left_behind() == 2; }));
  const KillReport report = table.kill(run);
  REQUIRE(report.dead == 2);
  REQUIRE(run.left_behind() == 0);
  REQUIRE(run.state() == RunState::kCompleted);
}

TEST_CASE("a run that outlives its time limit ends as timeout, not as killed") {
  Table table;
  RunSpec spec;
  spec.command = "exec sleep 600";
  spec.timeout = Millis{50};
  Run& run = table.start(spec);
  table.until_ended(run);
  REQUIRE(run.state() == RunState::kTimeout);
  REQUIRE(run.reason() == "timed out after 0.1s");
}

TEST_CASE("a grandchild that holds the pipe does not delay the exit") {
  RunLimits limits;
  limits.drain_limit = Millis{100};
  Table table(limits);
  Run& run = table.sh("sleep 600 & echo done");
  table.until_ended(run);
  REQUIRE(run.state() == RunState::kCompleted);
  REQUIRE(Table::text(run, StreamId::kStdout) == "done\n");
  REQUIRE(!run.stream(StreamId::kStdout).ended());
  REQUIRE(table.loop.until([&] { return run.drained(); }));
  REQUIRE(run.output_incomplete());
}

TEST_CASE("stdin is written and closed") {
  Table table;
  RunSpec spec;
  spec.command = "cat";
  spec.stdin_pipe = true;
  Run& run = table.start(spec);
  Status written = Status::error("pending", "no answer yet");
  const std::string big(std::size_t{300} << 10, 'x');  // more than a pipe holds
  table.runs->write(run, big, [&](Status status) { written = std::move(status); });
  table.runs->close_stdin(run);
  table.until_ended(run);
  REQUIRE(table.loop.until([&] { return written.code() != "pending"; }));
  REQUIRE(written.ok());
  REQUIRE(Table::text(run, StreamId::kStdout) == big);
  REQUIRE(run.state() == RunState::kCompleted);
}

TEST_CASE("writing to a run without stdin, or with a closed one, is answered") {
  Table table;
  Run& without = table.sh("exec sleep 600");
  RunSpec spec;
  spec.command = "exec <&-; echo closed; exec sleep 600";
  spec.stdin_pipe = true;
  Run& closed = table.start(spec);
  REQUIRE(table.loop.until([&] { return closed.stream(StreamId::kStdout).end() > 0; }));
  for (Run* run : {&without, &closed}) {
    std::string code;
    table.runs->write(*run, "x", [&](Status status) { code = status.code(); });
    REQUIRE(table.loop.until([&] { return !code.empty(); }));
    REQUIRE(code == "stdin_closed");
  }
}

TEST_CASE("the oldest ended runs are forgotten beyond the limit") {
  RunLimits limits;
  limits.max_ended = 2;
  Table table(limits);
  std::vector<std::string> ids;
  for (int i = 0; i < 4; ++i) {
    Run& run = table.sh("true");
    ids.push_back(run.id());
    table.until_ended(run);
  }
  REQUIRE(table.loop.until([&] { return table.runs->list().size() == 2; }));
  REQUIRE(table.runs->find(ids[0]) == nullptr);
  REQUIRE(table.runs->find(ids[3]) != nullptr);
}

TEST_CASE("a wrong id is refused with the nearest one") {
  Table table;
  Run& run = table.sh("exec sleep 600");
  std::string wrong = run.id();
  std::swap(wrong[2], wrong[3]);
  REQUIRE(table.runs->nearest(wrong) == run.id());
}

TEST_CASE("wrong specs are refused at once") {
  Table table;
  REQUIRE(table.runs->start({}, nullptr).status().code() == "invalid_arguments");
  RunSpec both;
  both.command = "true";
  both.argv = {"true"};
  REQUIRE(table.runs->start(both, nullptr).status().code() == "invalid_arguments");
  RunSpec nul;
  nul.command = std::string("echo a\0b", 8);
  REQUIRE(table.runs->start(nul, nullptr).status().code() == "invalid_arguments");
}

TEST_CASE("when the keeper is killed its runs are lost and later runs work") {
  Table table;
  Run& run = table.sh("setsid sleep 600 & exec sleep 600");
  const pid_t pid = run.pid();
  REQUIRE(::kill(table.runs->keeper_pid(), SIGKILL) == 0);
  table.until_ended(run);
  REQUIRE(run.state() == RunState::kLost);
  REQUIRE(table.loop.until([&] { return ::kill(pid, 0) != 0; }));
  Run& next = table.sh("echo again");
  table.until_ended(next);
  REQUIRE(Table::text(next, StreamId::kStdout) == "again\n");
}

TEST_CASE("closing the table ends every run") {
  Table table;
  const pid_t pid = table.sh("exec sleep 600").pid();
  table.close();
  REQUIRE(table.loop.until([&] { return ::kill(pid, 0) != 0; }));
}

TEST_CASE("a table can close while runs are starting") {
  Table table;
  RunSpec spec;
  spec.command = "exec sleep 600";
  REQUIRE(table.runs->start(spec, nullptr).ok());
  table.close();
}

TEST_CASE("a kill of a run that fails to start is still answered") {
  Table table;
  RunSpec spec;
  spec.argv = {"/nowhere/program"};
  bool ready = false;
  bool killed = false;
  auto started = table.runs->start(std::move(spec), [&](Run&, const Status&) { ready = true; });
  REQUIRE(started.ok());
  table.runs->kill(**started, SIGTERM, kShortGrace, [&](Run&, const KillReport& report) {
    killed = true;
    CHECK(report.how == KillReport::How::kGone);
  });
  REQUIRE(table.loop.until([&] { return ready && killed; }));
}

}  // namespace
}  // namespace gibbous
