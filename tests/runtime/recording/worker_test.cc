// Workers that look only when there is news: their own looks are an hour apart.
#include "runtime/queue/worker.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <optional>
#include <string>

#include "runtime/process/pid_space.h"
#include "runtime/process/proc.h"
#include "tests/runtime/recording/desk.h"
#include "tests/support/patient_fork.h"

namespace gibbous::testing {
namespace {

WorkerOptions patient(bool adopts = true) {
  WorkerOptions options;
  options.slow_look = std::chrono::hours(1);
  options.adopt = adopts;
  return options;
}

void open(Recorded& desk) {
  std::optional<Status> opened;
  desk.recording->when_open([&](const Status& status) { opened = status; });
  desk.recording->open();
  REQUIRE(desk.table.loop.until([&] { return opened.has_value(); }));
  REQUIRE(*opened);
}

TEST_CASE("a kill from another process is carried out at once") {
  const TempDir state;
  Recorded host({}, {}, state.path(), patient());
  Recorded other({}, {}, state.path(), patient());
  Run& run = host.sh("sleep 600");
  const std::string id = run.id();
  REQUIRE(host.table.loop.until([&] { return host.items(id).ok(); }));
  open(other);
  std::optional<Result<KillRequest>> asked;
  other.worker->request_kill(id, "", [&](Result<KillRequest> answer) { asked = answer; });
  REQUIRE(other.table.loop.until([&] { return asked.has_value(); }));
  REQUIRE(asked->ok());
  CHECK(host.table.loop.until([&] { return run.ended(); }));
}

TEST_CASE("a run that another process queues is executed at once") {
  const TempDir state;
  Recorded host({}, {}, state.path(), patient());
  Recorded other({}, {}, state.path(), patient(false));
  std::string executed;
  host.worker->execute = [&](const RunRecord& run) { executed = run.run_id; };
  other.worker->execute = nullptr;
  open(host);
  open(other);
  host.worker->serve("c@/p");
  RunRecord run;
  run.run_id = "queued1";
  run.client = run.session_id = "c@/p";
  run.command = "true";
  std::optional<Status> queued;
  other.worker->enqueue(run, [&](const Status& status) { queued = status; });
  REQUIRE(other.table.loop.until([&] { return queued.has_value(); }));
  REQUIRE(*queued);
  // It belongs to the process that queued it while that one lives, and to any of its session then.
  CHECK(executed.empty());
  other.close();
  CHECK(host.table.loop.until([&] { return executed == "queued1"; }));
}

TEST_CASE("the runs of a worker that is killed are settled at once") {
  const TempDir state;
  const pid_t child = patient_fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    for (;;) ::pause();
  }
  Recorded host({}, {}, state.path(), patient());
  std::string settled;
  host.worker->on_settled = [&](const RunRecord& run) { settled = run.run_id + " " + run.status; };
  open(host);
  {
    JournalOptions options;
    options.directory = state.path();
    auto journal = Journal::create(options, host.table.clock);
    REQUIRE(journal);
    WorkerRecord worker;
    worker.worker_id = "killed";
    worker.pid = child;
    worker.pid_started =
        static_cast<std::int64_t>(read_stat(child).value_or(ProcessStat()).start_time);
    worker.boot_id = pid_space();
    (void)(*journal)->join(worker, nullptr);
    RunRecord run;
    run.run_id = "run1";
    run.status = "running";
    run.command = "sleep 600";
    (void)(*journal)->put_run(run);
  }
  ::kill(child, SIGKILL);
  CHECK(host.table.loop.until([&] { return settled == "run1 lost"; }));
  ::waitpid(child, nullptr, 0);
}

TEST_CASE("a run whose keeper lives is not lost, however its host ended") {
  const TempDir state;
  const pid_t keeper = patient_fork();
  REQUIRE(keeper >= 0);
  if (keeper == 0) {
    for (;;) ::pause();
  }
  Recorded host({}, {}, state.path(), patient());
  for (const bool has_keeper : {true, false}) {
    JournalOptions options;
    options.directory = state.path();
    auto journal = Journal::create(options, host.table.clock);
    REQUIRE(journal);
    WorkerRecord worker;
    worker.worker_id = has_keeper ? "kept" : "gone";
    worker.pid = ::getpid();
    worker.pid_started =
        static_cast<std::int64_t>(read_stat(::getpid()).value_or(ProcessStat()).start_time);
    worker.boot_id = pid_space();
    worker.keeper_pid = has_keeper ? keeper : 0;
    worker.keeper_started =
        static_cast<std::int64_t>(read_stat(keeper).value_or(ProcessStat()).start_time);
    (void)(*journal)->join(worker, nullptr);
    RunRecord run;
    run.run_id = has_keeper ? "held" : "ended";
    run.status = "running";
    run.command = "sleep 600";
    (void)(*journal)->put_run(run);
    (void)(*journal)->leave(nullptr);
  }
  std::vector<std::string> settled;
  host.worker->on_settled = [&](const RunRecord& run) {
    settled.push_back(run.run_id + " " + run.status);
  };
  open(host);
  REQUIRE(host.table.loop.until([&] { return !settled.empty(); }));
  CHECK(settled == std::vector<std::string>{"ended lost"});
  ::kill(keeper, SIGKILL);
  ::waitpid(keeper, nullptr, 0);
  CHECK(host.table.loop.until([&] { return settled.size() == 2; }));
  CHECK(settled.back() == "held lost");
}

}  // namespace
}  // namespace gibbous::testing
