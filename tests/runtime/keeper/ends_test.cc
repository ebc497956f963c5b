// What a keeper records about the ends of its runs when its host is gone.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "runtime/keeper/end_notes.h"
#include "runtime/keeper/end_record.h"
#include "tests/runtime/keeper/harness.h"

namespace gibbous::testing {
namespace {

constexpr std::size_t kMany = 1'000;

// A host whose runs have a place for records. Its end is the end of its connection.
class LostHost {
 public:
  StartRequest shell(const std::string& id, const std::string& script) const {
    StartRequest request = Harness::tree({});
    request.argv = {"/bin/sh", "-c", script};
    request.cwd = dir_.path();
    request.end_place = {directory(), id};
    return request;
  }
  // Starts a script that says when it is ready.
  RunKey start(const StartRequest& request) {
    const RunKey run = harness.start_running(request);
    harness.read_lines(run, 1);
    return run;
  }
  std::string directory() const { return dir_.path() + "/keepers"; }
  std::vector<std::string> recorded() const { return list_end_records(directory(), kMany); }
  void lose() {
    harness.close_client();
    CHECK(harness.wait_for([&] { return !is_alive(keeper_); }));
  }
  void note_keeper() { keeper_ = harness.client().keeper_pid(); }
  // Ends the host, and returns what its keeper then left about the run.
  EndRecord lose_and_read(const std::string& id) {
    note_keeper();
    lose();
    auto read = read_end_record(directory(), id);
    INFO(read.status().message());
    REQUIRE(read.ok());
    return *read;
  }
  pid_t keeper() const { return keeper_; }

  Harness harness;

 private:
  TempDir dir_;
  pid_t keeper_ = 0;
};

TEST_CASE("an end that the host may not have recorded is recorded when the host is gone") {
  LostHost host;
  const RunKey run = host.start(host.shell("before", "echo up; exit 7"));
  REQUIRE(host.harness.wait_exit(run));
  CHECK(host.recorded().empty());
  const EndRecord record = host.lose_and_read("before");
  CHECK(record.cause == EndCause::kItself);
  CHECK_FALSE(record.after_host);
  CHECK(record.exit.code == 7);
  CHECK(record.exit.signal == 0);
  CHECK(record.leader.pid == host.harness.run(run).pid);
  CHECK(record.leader.start_time == host.harness.run(run).start_time);
  CHECK(record.host.pid == ::getpid());
  CHECK(record.host.start_time == read_stat(::getpid())->start_time);
  CHECK(record.keeper.pid == host.keeper());
  CHECK(record.started_at > 0);
  CHECK(record.ended_at >= record.started_at);
}

TEST_CASE("a run that ignores SIGTERM and ends by itself after its host has its own end") {
  LostHost host;
  StartRequest request = host.shell("after", "trap '' TERM; echo up; read line; echo bye; exit 7");
  request.in = StdioKind::kPipe;  // ends with the host
  host.start(request);
  host.harness.run(1).in.reset();
  const EndRecord record = host.lose_and_read("after");
  CHECK(record.cause == EndCause::kItself);
  CHECK(record.exit.code == 7);
}

TEST_CASE("a run that its keeper ended after its host says how it ended") {
  LostHost host;
  host.start(
      host.shell("code", "trap 'echo bye; exit 7' TERM; echo up; while :; do sleep 0.01; done"));
  host.start(host.shell("term", "echo up; exec sleep 60"));
  host.start(host.shell("kill", "trap '' TERM; echo up; while :; do sleep 0.01; done"));
  const EndRecord code = host.lose_and_read("code");
  CHECK(code.cause == EndCause::kHostEnd);
  CHECK(code.after_host);
  CHECK(code.exit.code == 7);
  CHECK(code.dropped_bytes == 4);
  const auto term = read_end_record(host.directory(), "term");
  REQUIRE(term.ok());
  CHECK(term->cause == EndCause::kHostEnd);
  CHECK(term->exit.signal == SIGTERM);
  const auto kill = read_end_record(host.directory(), "kill");
  REQUIRE(kill.ok());
  CHECK(kill->cause == EndCause::kHostEnd);
  CHECK(kill->exit.signal == SIGKILL);
}

TEST_CASE("a run whose leader ignores SIGTERM has not ended by itself when its child does not") {
  LostHost host;
  host.start(host.shell("child", "trap '' TERM; (trap - TERM; echo up; exec sleep 60); exit 3"));
  CHECK(host.lose_and_read("child").cause == EndCause::kHostEnd);
}

TEST_CASE("a run that its host was killing, and one at its limit, are recorded as such") {
  constexpr Millis kAmple{60'000};
  LostHost host;
  const RunKey stubborn =
      host.start(host.shell("killed", "trap '' TERM; echo up; while :; do sleep 0.01; done"));
  StartRequest busy = host.shell("limited", "echo up; while :; do :; done");
  busy.tree_limits.cpu_time = Millis(50);
  REQUIRE(host.harness.wait_exit(host.start(busy)));
  host.harness.client().kill(stubborn, SIGTERM, kAmple);
  // The keeper reads messages in order: it knows of the kill when it answers the question.
  bool answered = false;
  host.harness.client().usage(stubborn, [&](const auto&) { answered = true; });
  REQUIRE(host.harness.wait_for([&] { return answered; }));
  const EndRecord killed = host.lose_and_read("killed");
  CHECK(killed.cause == EndCause::kKill);
  CHECK(killed.kill_signal == SIGTERM);
  CHECK(killed.exit.signal == SIGKILL);
  const auto limited = read_end_record(host.directory(), "limited");
  REQUIRE(limited.ok());
  CHECK(limited->cause == EndCause::kLimit);
  REQUIRE(limited->limit);
  CHECK(limited->limit->kind == LimitKind::kCpuTime);
}

TEST_CASE("a program that the terminal's hang-up ended has not ended by itself") {
  LostHost host;
  StartRequest request =
      host.shell("terminal", "trap '' TERM; echo up; while :; do sleep 0.01; done");
  request.terminal = TerminalSize{30, 100};
  const RunKey run = host.start(request);
  host.harness.run(run).out.reset();  // the host's end of the terminal
  const EndRecord record = host.lose_and_read("terminal");
  CHECK(record.cause == EndCause::kHostEnd);
  CHECK(record.exit.signal == SIGHUP);
}

TEST_CASE("nothing is recorded for a host that is done, or for a run without a place") {
  LostHost host;
  SECTION("a host that is done") {
    const RunKey run = host.start(host.shell("ended", "echo up"));
    REQUIRE(host.harness.wait_exit(run));
    host.start(host.shell("running", "echo up; exec sleep 60"));
    host.note_keeper();
    host.harness.client().shutdown(Millis(0));
  }
  SECTION("a run without a place") {
    StartRequest request = host.shell("unnamed", "echo up; exec sleep 60");
    request.end_place.reset();
    host.start(request);
    host.note_keeper();
  }
  host.lose();
  CHECK(host.recorded().empty());
}

TEST_CASE("a start with a name that no file can have is refused") {
  LostHost host;
  for (const char* id : {"", "a/b", "../x"}) {
    const RunKey run = host.harness.start(host.shell(id, "echo up"));
    REQUIRE(host.harness.wait_for([&] { return !host.harness.run(run).failures.empty(); }));
    CHECK(host.harness.run(run).failures.front().error == EINVAL);
  }
}

TEST_CASE("a keeper that is killed with its host leaves no record") {
  LostHost host;
  host.start(host.shell("gone", "echo up; exec sleep 60"));
  host.note_keeper();
  REQUIRE(::kill(host.keeper(), SIGKILL) == 0);
  host.lose();
  CHECK(host.recorded().empty());
}

keeper::EndNote note_of(const std::string& directory, const std::string& id) {
  keeper::EndNote note;
  note.directory = directory;
  note.record.run_id = id;
  return note;
}

TEST_CASE("a host's last ends are recorded when it is lost, neither old ones nor too many") {
  const TempDir dir;
  keeper::Time now{};
  keeper::EndNotes notes;
  notes.add(note_of(dir.path(), "old"), now);
  now += keeper::kEndNoteLimit + std::chrono::seconds(1);
  notes.add(note_of(dir.path(), "first"), now);
  for (std::size_t i = 0; i < keeper::kMaxEndNotes; ++i) {
    notes.add(note_of(dir.path(), "run" + std::to_string(i)), now);
  }
  CHECK(list_end_records(dir.path(), kMany).empty());
  notes.host_lost(now);
  CHECK(list_end_records(dir.path(), kMany).size() == keeper::kMaxEndNotes);
  CHECK_FALSE(read_end_record(dir.path(), "first").ok());
  CHECK_FALSE(read_end_record(dir.path(), "old").ok());
  notes.add(note_of(dir.path(), "later"), now);
  CHECK(read_end_record(dir.path(), "later").ok());
}

TEST_CASE("after a host that is done, only runs that outlive it are recorded") {
  const TempDir dir;
  keeper::EndNotes notes;
  notes.add(note_of(dir.path(), "before"), {});
  notes.host_done();
  notes.host_lost({});  // its connection ends as well
  notes.add(note_of(dir.path(), "with-it"), {});
  keeper::EndNote outlives = note_of(dir.path(), "outlives");
  outlives.outlives = true;
  notes.add(outlives, {});
  CHECK(list_end_records(dir.path(), kMany) == std::vector<std::string>{"outlives"});
  notes.host_came();
  notes.add(note_of(dir.path(), "of-the-next"), {});
  CHECK_FALSE(read_end_record(dir.path(), "of-the-next").ok());
  notes.host_lost({});
  CHECK(read_end_record(dir.path(), "of-the-next").ok());
}

}  // namespace
}  // namespace gibbous::testing
