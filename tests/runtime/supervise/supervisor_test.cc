// Readiness, order and restarts, with real children.
#include "runtime/supervise/supervisor.h"

#include <signal.h>

#include "tests/runtime/wait/harness.h"

namespace gibbous {
namespace {

using namespace testing;  // NOLINT: the vocabulary of these tests

// A house with a supervisor, whose requests are command lines.
class Office : public House {
 public:
  explicit Office(RunLimits limits = {}) : House(limits) {
    supervisor = std::make_unique<Supervisor>(
        *runs, *waits, [this](Run& run, const std::string& request, const auto& on_done) {
          requests.push_back(request);
          if (refuse_all) {
            runs->later([on_done] { on_done(Status::error("denied", "the policy says no")); });
            return;
          }
          RunSpec spec = spec_of(request);
          spec.id = run.id();
          if (missing_cwd) spec.cwd = "/nonexistent";
          spec.queue_when_full = true;
          spec.says_when_ready = run.spec().says_when_ready;
          auto started = runs->start(std::move(spec),
                                     [on_done](Run&, const Status& status) { on_done(status); });
          if (!started) on_done(started.status());
        });
  }

  static RunSpec spec_of(const std::string& command) {
    RunSpec spec;
    spec.command = command;
    spec.stdin_pipe = true;
    return spec;
  }
  static std::shared_ptr<Supervision> plan(const std::string& command) {
    auto how = std::make_shared<Supervision>();
    how->request = command;
    return how;
  }
  Run& supervised(const std::shared_ptr<Supervision>& how) {
    RunSpec spec = spec_of(how->request);
    spec.says_when_ready = how->ready.has_value();
    Run& run = start(std::move(spec));
    supervisor->supervise(run, how);
    return run;
  }
  Run& after(const std::vector<const Run*>& others, const std::shared_ptr<Supervision>& how) {
    for (const Run* other : others) how->after.push_back(other->id());
    RunSpec spec = spec_of(how->request);
    spec.says_when_ready = how->ready.has_value();
    auto reserved = supervisor->start_after(std::move(spec), how);
    INFO(reserved.status().message());
    REQUIRE(reserved.ok());
    return **reserved;
  }
  void until(const std::function<bool()>& come_true) { REQUIRE(loop.until(come_true)); }
  void until_state(Run& run, RunState state) {
    until([&] { return run.state() == state; });
  }

  std::vector<std::string> requests;
  bool refuse_all = false;
  bool missing_cwd = false;
  std::unique_ptr<Supervisor> supervisor;
};

RestartPolicy restarts(std::uint32_t max, Millis backoff = Millis{1}) {
  return {true, max, backoff};
}

WaitSpec line(const std::string& pattern, std::optional<Millis> timeout = std::nullopt) {
  Condition condition;
  condition.kind = ConditionKind::kRegex;
  condition.run = kThisRun;
  condition.pattern = pattern;
  return {{condition}, false, timeout};
}

Condition on_ready(const Run& run) {
  Condition condition;
  condition.kind = ConditionKind::kReady;
  condition.run = run.id();
  return condition;
}

TEST_CASE("a run is ready when its condition comes true, and names the condition") {
  Office office;
  const auto how = Office::plan("read line; echo listening; read line");
  how->ready = line("listen");
  Run& run = office.supervised(how);
  CHECK(run.readiness() == Readiness::kPending);
  std::optional<WaitResult> told;
  office.begin({{on_ready(run)}, false, std::nullopt}, told);
  office.say(run, "go\n");
  office.until([&] { return told.has_value(); });
  CHECK(told->end == WaitEnd::kFired);
  CHECK(run.readiness() == Readiness::kReady);
  CHECK(run.readiness_note() == "line: listening");
  office.kill(run);
}

TEST_CASE("a run without a ready condition is ready while it runs") {
  Office office;
  Run& run = office.sh("read line");
  CHECK(office.wait(on_ready(run)).end == WaitEnd::kFired);
  office.kill(run);
  const WaitResult after = office.wait(on_ready(run));
  CHECK(after.end == WaitEnd::kImpossible);
  CHECK(has(after.message, "killed with SIGKILL"));
}

TEST_CASE("a run that is not ready in time is reported and goes on") {
  Office office;
  const auto how = Office::plan("read line");
  how->ready = line("never", Millis{20});
  Run& run = office.supervised(how);
  const WaitResult told = office.wait(on_ready(run));
  CHECK(told.end == WaitEnd::kImpossible);
  CHECK(has(told.message, "is not ready (timed out"));
  CHECK(run.readiness() == Readiness::kFailed);
  CHECK(run.state() == RunState::kRunning);
  office.kill(run);
}

TEST_CASE("a run starts when those before it are ready, and not before") {
  Office office;
  const auto first = Office::plan("read line; echo up; read line");
  first->ready = line("^up$");
  Run& before = office.supervised(first);
  Run& other = office.sh("read line");
  Run& run = office.after({&before, &other}, Office::plan("echo mine"));
  CHECK(run.state() == RunState::kQueued);
  CHECK(run.reason() == "it starts when " + before.id() + ", " + other.id() + " is ready");
  office.loop.turn();
  CHECK(office.requests.empty());
  office.say(before, "go\n");
  office.until_state(run, RunState::kCompleted);
  CHECK(office.requests == std::vector<std::string>{"echo mine"});
  CHECK(run.stream(StreamId::kStdout).read(0, 100).bytes == "mine\n");
  office.kill(before);
  office.kill(other);
}

TEST_CASE("a run after a task starts once the task has succeeded") {
  Office office;
  Run& task = office.sh("read line");
  Run& run = office.after({&task}, Office::plan("true"));
  // It is started and therefore ready, because no condition says that it must end.
  office.until_state(run, RunState::kCompleted);
  const auto ends = Office::plan("read line; exit \"$line\"");
  WaitSpec exit;
  exit.conditions.emplace_back();
  exit.conditions.back().run = kThisRun;
  ends->ready = exit;
  Run& good = office.supervised(ends);
  Run& after_good = office.after({&good}, Office::plan("true"));
  Run& bad = office.supervised(ends);
  Run& after_bad = office.after({&bad}, Office::plan("true"));
  office.say(good, "0\n");
  office.say(bad, "3\n");
  office.until_state(after_good, RunState::kCompleted);
  office.until_state(after_bad, RunState::kFailed);
  CHECK(after_bad.reason() == "not started: " + bad.id() + " ended (exit code 3)");
  office.kill(task);
}

TEST_CASE("a run after one that will never be ready fails, and so does the one after it") {
  Office office;
  const auto how = Office::plan("read line; exit 7");
  how->ready = line("never");
  Run& before = office.supervised(how);
  Run& middle = office.after({&before}, Office::plan("true"));
  Run& last = office.after({&middle}, Office::plan("true"));
  office.say(before, "go\n");
  office.until_state(last, RunState::kFailed);
  CHECK(middle.state() == RunState::kFailed);
  CHECK(has(middle.reason(), before.id() + " ended (exit code 7)"));
  CHECK(has(last.reason(), middle.id() + " ended (not started: "));
  CHECK(office.requests.empty());
}

TEST_CASE("a run that waits for others can be killed, and is not started then") {
  Office office;
  const auto how = Office::plan("read line; echo up; read line");
  how->ready = line("up");
  Run& before = office.supervised(how);
  Run& run = office.after({&before}, Office::plan("true"));
  bool killed = false;
  office.runs->kill(run, SIGTERM, std::nullopt, [&](Run&, const KillReport&) { killed = true; });
  CHECK(run.state() == RunState::kKilled);
  office.say(before, "go\n");
  office.until([&] { return killed && before.readiness() == Readiness::kReady; });
  office.loop.turn();
  CHECK(office.requests.empty());
  office.kill(before);
}

TEST_CASE("after names known runs, or fails") {
  Office office;
  const auto how = Office::plan("true");
  how->after = {"nobody00"};
  const auto refused = office.supervisor->start_after(Office::spec_of("true"), how);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.status().code() == "run_not_found");
  CHECK(has(refused.status().message(), "after: there is no run \"nobody00\""));
}

TEST_CASE("a run that fails is restarted up to its maximum, each time as another run") {
  Office office;
  const auto how = Office::plan("exit 3");
  how->restart = restarts(2);
  Run& first = office.supervised(how);
  office.until([&] { return office.requests.size() == 2; });
  Run& last = office.runs->newest(first);
  office.until_state(last, RunState::kFailed);
  Run& second = *office.runs->find(first.next());
  CHECK(second.spec().restart_of == first.id());
  CHECK(second.spec().restarts == 1);
  CHECK(second.next() == last.id());
  CHECK(last.spec().restarts == 2);
  CHECK(last.next().empty());
  CHECK(office.runs->list().size() == 3);
}

TEST_CASE("pauses between restarts double, and are reported") {
  Office office;
  const auto how = Office::plan("exit 1");
  how->restart = restarts(3, Millis{100});
  Run& first = office.supervised(how);
  office.until([&] { return first.ended(); });
  const Nanos ended = office.clock.now();
  Run& second = office.runs->newest(first);
  CHECK(second.state() == RunState::kQueued);
  CHECK(second.reason() == "it starts again in 0.1s (1 of 3)");
  office.until([&] { return second.ended(); });
  CHECK(office.clock.now() - ended >= Millis{100});
  Run& third = office.runs->newest(second);
  CHECK(third.reason() == "it starts again in 0.2s (2 of 3)");
  office.kill(first);  // this kills the third
  CHECK(third.state() == RunState::kKilled);
}

TEST_CASE("a run that succeeded is restarted only on request") {
  Office office;
  const auto usual = Office::plan("true");
  usual->restart = restarts(1);
  Run& good = office.supervised(usual);
  const auto always = Office::plan("true");
  always->restart = restarts(1);
  always->restart->on_failure = false;
  Run& again = office.supervised(always);
  office.until([&] { return good.ended() && again.ended(); });
  CHECK(good.next().empty());
  CHECK_FALSE(again.next().empty());
  office.until([&] { return office.runs->newest(again).ended(); });
}

TEST_CASE("a killed run is not restarted, but one ended by a foreign signal is") {
  Office office;
  const auto how = Office::plan("read line");
  how->restart = restarts(1);
  Run& killed = office.supervised(how);
  office.kill(killed);
  CHECK(killed.next().empty());
  Run& struck = office.supervised(how);
  ::kill(struck.pid(), SIGKILL);
  office.until([&] { return struck.ended(); });
  REQUIRE_FALSE(struck.next().empty());
  Run& next = office.runs->newest(struck);
  office.until_state(next, RunState::kRunning);
  office.kill(next);
}

TEST_CASE("a time limit is not a failure to retry, but another limit is") {
  Office office;
  const auto how = Office::plan("read line");
  how->restart = restarts(1);
  RunSpec timed = Office::spec_of("read line");
  timed.timeout = Millis{20};
  Run& late = office.start(std::move(timed));
  office.supervisor->supervise(late, how);
  RunSpec idle = Office::spec_of("read line");
  idle.limits.idle_time = Millis{20};
  Run& silent = office.start(std::move(idle));
  office.supervisor->supervise(silent, how);
  office.until([&] { return late.ended() && silent.ended(); });
  CHECK(late.state() == RunState::kTimeout);
  CHECK(late.next().empty());
  REQUIRE_FALSE(silent.next().empty());
  Run& next = office.runs->newest(silent);
  office.until_state(next, RunState::kRunning);
  office.kill(next);
}

TEST_CASE("orphans of a run are dead before its restart") {
  Office office;
  TempDir directory;
  const std::string file = directory.path() + "/pid";
  const std::string command = "if [ -s " + file + " ]; then kill -0 $(cat " + file +
                              ") 2>&1; echo looked; exit 0; fi; " +
                              "setsid sleep 1000 & echo $! > " + file + "; exit 1";
  const auto how = Office::plan(command);
  how->restart = restarts(1);
  Run& first = office.supervised(how);
  office.until([&] { return first.ended(); });
  Run& second = office.runs->newest(first);
  office.until_state(second, RunState::kCompleted);
  const std::string said = second.stream(StreamId::kStdout).read(0, 1000).bytes;
  CHECK(has(said, "looked"));
  CHECK(has(said, "No such process"));
}

TEST_CASE("a wait for a failed run follows its restart") {
  Office office;
  TempDir directory;
  const std::string file = directory.path() + "/tried";
  const auto how =
      Office::plan("if [ -e " + file + " ]; then echo up; read line; fi; : > " + file + "; exit 1");
  how->ready = line("^up$");
  how->restart = restarts(3);
  Run& first = office.supervised(how);
  Run& run = office.after({&first}, Office::plan("true"));
  office.until_state(run, RunState::kCompleted);
  CHECK(first.readiness() == Readiness::kFailed);
  Run& second = office.runs->newest(first);
  CHECK(second.readiness() == Readiness::kReady);
  office.kill(second);
}

TEST_CASE("a run that cannot be restarted counts as another failure") {
  Office office;
  const auto how = Office::plan("exit 1");
  how->restart = restarts(2);
  Run& first = office.supervised(how);
  office.missing_cwd = true;
  office.until([&] { return office.runs->newest(first).spec().restarts == 2; });
  Run& last = office.runs->newest(first);
  office.until_state(last, RunState::kFailed);
  CHECK(has(last.reason(), "Could not start"));
  office.loop.run_for(Millis{10});
}

TEST_CASE("a run lost with its keeper is restarted") {
  Office office;
  const auto how = Office::plan("read line");
  how->restart = restarts(1);
  Run& first = office.supervised(how);
  ::kill(office.runs->keeper_pid(), SIGKILL);
  office.until_state(first, RunState::kLost);
  Run& next = office.runs->newest(first);
  CHECK(&next != &first);
  office.until_state(next, RunState::kRunning);
  office.kill(next);
}

TEST_CASE("a run that is killed while a limit ends it is not restarted") {
  Office office;
  const auto how = Office::plan("trap '' TERM; echo up; while :; do sleep 0.01; done");
  how->restart = restarts(1);
  RunSpec spec = Office::spec_of(how->request);
  spec.limits.idle_time = Millis{50};
  Run& run = office.start(std::move(spec));
  office.supervisor->supervise(run, how);
  office.until([&] { return run.limit_reached().has_value(); });
  office.kill(run);
  CHECK(run.next().empty());
}

TEST_CASE("the first of a chain leads to the last, even if runs in between are forgotten") {
  RunLimits limits;
  limits.max_ended = 2;
  limits.max_queued = 0;
  Office office(limits);
  TempDir directory;
  const std::string file = directory.path() + "/tries";
  const auto how = Office::plan("echo x >> " + file + "; [ $(wc -l < " + file +
                                ") -gt 6 ] && read line; exit 1");
  how->restart = restarts(10);
  Run& first = office.supervised(how);
  office.until([&] { return office.runs->newest(first).spec().restarts == 6; });
  Run& last = office.runs->newest(first);
  office.until_state(last, RunState::kRunning);
  office.loop.run_for(Millis{20});
  CHECK(office.runs->list().size() < 6);
  CHECK(&office.runs->newest(first) == &last);
  office.runs->kill(first, SIGKILL, std::nullopt, nullptr);
  office.until_state(last, RunState::kKilled);
}

TEST_CASE("a restart that is refused ends the chain, with the reason") {
  Office office;
  const auto how = Office::plan("exit 1");
  how->restart = restarts(5);
  office.refuse_all = true;
  Run& first = office.supervised(how);
  office.until([&] { return office.requests.size() == 1; });
  Run& next = office.runs->newest(first);
  office.until_state(next, RunState::kFailed);
  CHECK(next.reason() == "not started: the policy says no");
  CHECK(next.next().empty());
  CHECK(office.requests.size() == 1);
}

TEST_CASE("no run is started once the supervisor is gone") {
  Office office;
  const auto how = Office::plan("exit 1");
  how->restart = restarts(3, Millis{10});
  Run& first = office.supervised(how);
  const auto never = Office::plan("read line");
  never->ready = line("never");
  Run& blocked = office.after({&office.supervised(never)}, Office::plan("true"));
  office.until([&] { return first.ended(); });
  const std::size_t asked = office.requests.size();
  office.supervisor.reset();
  office.loop.run_for(Millis{30});
  CHECK(office.requests.size() == asked);
  CHECK(blocked.state() == RunState::kQueued);
}

TEST_CASE("runs that wait count as queued") {
  RunLimits limits;
  limits.max_queued = 1;
  Office office(limits);
  const auto how = Office::plan("read line");
  how->ready = line("never");
  Run& before = office.supervised(how);
  (void)office.after({&before}, Office::plan("true"));
  const auto more = Office::plan("true");
  more->after = {before.id()};
  const auto refused = office.supervisor->start_after(Office::spec_of("true"), more);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.status().code() == "too_many_runs");
  office.kill(before);
}

}  // namespace
}  // namespace gibbous
