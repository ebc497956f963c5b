// Waits as a whole: any and all, several runs, deadlines, cancelling, closing, and the loss of the
// keeper.
#include "runtime/wait/wait.h"

#include <signal.h>
#include <sys/stat.h>

#include <fstream>

#include "tests/runtime/wait/harness.h"

namespace gibbous {
namespace {

using namespace testing;  // NOLINT: the vocabulary of these tests

TEST_CASE("any of several runs answers with the first condition that came true") {
  House house;
  Run& slow = house.sh("read line; echo Ready");
  Run& quick = house.sh("echo Ready; read line");
  const WaitResult result = house.wait(WaitSpec{
      {on_regex(slow, "Ready"), on_regex(quick, "Ready"), on_exit(slow)}, false, std::nullopt});
  REQUIRE(result.end == WaitEnd::kFired);
  REQUIRE(result.fired.size() == 1);
  CHECK(result.fired[0].condition == 1);
  CHECK(result.fired[0].run == quick.id());
}

TEST_CASE("all over several runs answers with every condition, in the order of firing") {
  House house;
  Run& first = house.sh("read line; echo Ready; read line");
  Run& second = house.sh("read line; echo Ready; read line");
  std::optional<WaitResult> result;
  house.begin({{on_regex(first, "Ready"), on_regex(second, "Ready"), on_timer(Millis{0})},
               true,
               Millis{20'000}},
              result);
  house.say(second, "go\n");
  house.wait(on_regex(second, "Ready"));
  house.wait(on_timer(Millis{1}));
  CHECK_FALSE(result.has_value());
  house.say(first, "go\n");
  REQUIRE(house.loop.until([&] { return result.has_value(); }));
  CHECK(result->end == WaitEnd::kFired);
  REQUIRE(result->fired.size() == 3);
  CHECK(result->fired.back().condition == 0);
}

TEST_CASE("any fails only when no condition can come true any more") {
  House house;
  Run& first = house.sh("echo one; exit 1");
  Run& second = house.sh("read line; echo two; exit 2");
  std::optional<WaitResult> result;
  house.begin({{on_regex(first, "Ready"), on_port(1, "", second.id()), on_regex(second, "Go")},
               false,
               std::nullopt},
              result);
  house.until_ended(first);
  CHECK_FALSE(result.has_value());
  house.say(second, "go\n");
  REQUIRE(house.loop.until([&] { return result.has_value(); }));
  CHECK(result->end == WaitEnd::kImpossible);
  CHECK(result->run == first.id());
  CHECK(result->tail == "one");
  CHECK(result->message ==
        "run " + first.id() + " ended (exit code 1) before a line matched \"Ready\"; run " +
            second.id() +
            " ended (exit code 2) before port 1 was listening or a line matched \"Go\"");
}

TEST_CASE("all fails as soon as one condition can no longer come true") {
  House house;
  Run& ends = house.sh("exit 1");
  Run& stays = house.sh("read line");
  const WaitResult result =
      house.wait(WaitSpec{{on_regex(stays, "Ready"), on_regex(ends, "Ready")}, true, std::nullopt});
  CHECK(result.end == WaitEnd::kImpossible);
  CHECK(result.run == ends.id());
}

TEST_CASE("a deadline reports which conditions did not come true, with the tail of the output") {
  House house;
  Run& run = house.sh("echo starting; read line");
  house.wait(on_regex(run, "starting"));
  const WaitResult any =
      house.wait(WaitSpec{{on_regex(run, "Ready"), on_exit(run)}, false, Millis{50}});
  CHECK(any.end == WaitEnd::kTimeout);
  CHECK(any.message ==
        "timed out after 0.1s before a line matched \"Ready\" or run " + run.id() + " ended");
  CHECK(any.tail == "starting");
  CHECK(any.run == run.id());
  CHECK(any.elapsed >= Millis{50});
  const WaitResult all =
      house.wait(WaitSpec{{on_regex(run, "starting"), on_exit(run)}, true, Millis{0}});
  CHECK(all.end == WaitEnd::kTimeout);
  CHECK(all.message == "timed out after 0.0s before run " + run.id() + " ended");
  REQUIRE(all.fired.size() == 1);
  CHECK(all.fired[0].condition == 0);
}

// Stands still, as a host that is stopped does, until the run's first process is gone and the time
// has passed.
void stand_still(House& house, const Run& run, Millis time) {
  const Nanos end = house.clock.now() + time;
  while (house.clock.now() < end || ::kill(run.pid(), 0) == 0) {
  }
}

TEST_CASE("after a pause of the host, what came in time counts before the deadline of a wait") {
  House house;
  Run& run = house.sh("read line; echo READY");
  std::optional<WaitResult> line;
  std::optional<WaitResult> end;
  constexpr Millis kLimit{100};
  house.begin({{on_regex(run, "READY")}, false, kLimit}, line);
  house.begin({{on_exit(run)}, false, kLimit}, end);
  house.say(run, "go\n");
  house.loop.turn();
  stand_still(house, run, 2 * kLimit);
  REQUIRE(house.loop.until([&] { return line.has_value() && end.has_value(); }));
  CHECK(line->end == WaitEnd::kFired);
  CHECK(end->end == WaitEnd::kFired);
}

TEST_CASE("a deadline that is due after a pause of the host still comes") {
  House house;
  Run& run = house.sh("read line");
  std::optional<WaitResult> result;
  house.begin({{on_regex(run, "READY")}, false, Millis{50}}, result);
  const Nanos end = house.clock.now() + Millis{150};
  while (house.clock.now() < end) {
  }
  REQUIRE(house.loop.until([&] { return result.has_value(); }));
  CHECK(result->end == WaitEnd::kTimeout);
  house.kill(run);
}

TEST_CASE("a deadline of zero checks the present state") {
  House house;
  Run& run = house.sh("echo Ready; read line");
  house.wait(on_regex(run, "Ready"));
  CHECK(house.wait(on_regex(run, "Ready"), Millis{0}).end == WaitEnd::kFired);
  CHECK(house.wait(on_exit(run), Millis{0}).end == WaitEnd::kTimeout);
}

TEST_CASE("a wait has 1 to 64 conditions and no negative deadline") {
  House house;
  const auto refused = [&](std::size_t count, Millis timeout) {
    const auto started = house.waits->start(
        WaitSpec{std::vector<Condition>(count, on_timer(Millis{1})), false, timeout},
        [](WaitResult) {});
    return started.ok() ? std::string() : started.status().code();
  };
  CHECK(refused(0, Millis{1}) == "invalid_arguments");
  CHECK(refused(kMaxConditions + 1, Millis{1}) == "invalid_arguments");
  CHECK(refused(1, Millis{-1}) == "invalid_arguments");
  CHECK(refused(kMaxConditions, Millis{1}) == "");
}

TEST_CASE("a cancelled wait never answers, in any state") {
  House house;
  Run& run = house.sh("echo Ready; read line; echo more");
  std::optional<WaitResult> pending;
  std::optional<WaitResult> fired;
  Wait* first = house.begin(
      {{on_regex(run, "more"), on_port(1), on_http("http://127.0.0.1:1/"), on_file("/nonexistent"),
        on_quiet(run, Millis{10'000}), on_timer(Millis{10'000}), on_exit(run)},
       false,
       Millis{10'000}},
      pending);
  house.wait(on_regex(run, "Ready"));
  Wait* second = house.begin({{on_regex(run, "Ready")}, false, std::nullopt}, fired);
  second->cancel();  // it has its answer, which is not delivered yet
  house.loop.run_for(Millis{20});
  first->cancel();
  house.say(run, "go\n");
  house.until_ended(run);
  CHECK_FALSE(pending.has_value());
  CHECK_FALSE(fired.has_value());
}

TEST_CASE("an answer may cancel, start and close other waits") {
  House house;
  Run& run = house.sh("read line; echo Ready; read line");
  const auto ready = [&run] { return WaitSpec{{on_regex(run, "Ready")}, false, std::nullopt}; };
  Wait* victim = nullptr;
  bool victim_answered = false;
  std::optional<WaitResult> again;
  auto first = house.waits->start(ready(), [&](WaitResult) {
    victim->cancel();
    house.begin(ready(), again);
  });
  REQUIRE(first.ok());
  auto second = house.waits->start(ready(), [&](WaitResult) { victim_answered = true; });
  REQUIRE(second.ok());
  victim = second.value();
  house.say(run, "go\n");
  REQUIRE(house.loop.until([&] { return again.has_value(); }));
  CHECK(again->end == WaitEnd::kFired);
  house.loop.run_for(Millis{10});
  CHECK_FALSE(victim_answered);

  bool closed = false;
  std::optional<WaitResult> left;
  auto last = house.waits->start(ready(), [&](WaitResult) {
    house.waits->close([&] { closed = true; });
    CHECK_FALSE(closed);
  });
  REQUIRE(last.ok());
  house.begin({{on_exit(run)}, false, Millis{1}}, left);
  REQUIRE(house.loop.until([&] { return closed; }));
  house.waits.reset();
  house.kill(run);
  CHECK_FALSE(left.has_value());
}

TEST_CASE("closing in the middle ends every wait without an answer") {
  House house;
  Run& server = house.program("http_server", {"-1"});
  const std::string url =
      "http://localhost:" + std::to_string(house.number_after(server, "port")) + "/";
  std::optional<WaitResult> result;
  house.begin({{on_http(url), on_port(1), on_port(1, "no-such-host.invalid"),
                on_regex(server, "never"), on_file("/nonexistent"), on_quiet(server, Millis{5'000}),
                on_timer(Millis{5'000}), on_exit(server)},
               false,
               Millis{5'000}},
              result);
  house.wait(on_regex(server, "GET"));
  std::optional<WaitResult> other;
  Wait* wait = house.begin({{on_exit(server)}, false, Millis{5'000}}, other);
  bool closed = false;
  house.waits->close([&] { closed = true; });
  wait->cancel();  // still allowed
  CHECK_FALSE(closed);
  REQUIRE(house.loop.until([&] { return closed; }));
  house.waits.reset();
  CHECK_FALSE(result.has_value());
  CHECK_FALSE(other.has_value());
  house.kill(server);
  CHECK_FALSE(result.has_value());
}

TEST_CASE("a server that is started in the background outlives its shell's end for the wait") {
  House house;
  const TempDir directory;
  const std::string gate = directory.path() + "/gate";
  REQUIRE(::mkfifo(gate.c_str(), 0600) == 0);
  // No pipe of the run stays open: only the keeper knows of the listener.
  Run& run = house.sh("setsid " + fixture("listener") + " v4 <>" + gate + " >" + directory.path() +
                      "/out 2>&1 & exit 0");
  std::optional<WaitResult> result;
  std::optional<WaitResult> impossible;
  house.begin({{on_file(directory.path() + "/never", false, run.id())}, false, std::nullopt},
              impossible);
  house.until_ended(run);
  int port = 0;
  REQUIRE(house.loop.until([&] {
    std::ifstream out(directory.path() + "/out");
    std::string word;
    return static_cast<bool>(out >> word >> port);
  }));
  house.begin({{on_port(port, "", run.id())}, false, std::nullopt}, result);
  house.loop.run_for(Millis{300});
  CHECK_FALSE(result.has_value());
  CHECK_FALSE(impossible.has_value());
  std::ofstream(gate) << "listen\n";
  REQUIRE(house.loop.until([&] { return result.has_value(); }));
  CHECK(result->end == WaitEnd::kFired);
  CHECK(result->fired[0].pid != 0);
  house.kill(run);
  REQUIRE(house.loop.until([&] { return impossible.has_value(); }));
  CHECK(impossible->end == WaitEnd::kImpossible);
}

TEST_CASE("no wait starts after close") {
  House house;
  bool closed = false;
  house.waits->close([&] { closed = true; });
  const auto started =
      house.waits->start(WaitSpec{{on_timer(Millis{0})}, false, std::nullopt}, [](WaitResult) {});
  REQUIRE_FALSE(started.ok());
  CHECK(started.status().code() == "shutdown");
  REQUIRE(house.loop.until([&] { return closed; }));
  house.waits.reset();
}

TEST_CASE("the loss of the keeper ends the waits for its runs") {
  House house;
  Run& run = house.sh("echo working; read line");
  house.wait(on_regex(run, "working"));
  std::optional<WaitResult> ends;
  std::optional<WaitResult> line;
  house.begin({{on_exit(run)}, false, std::nullopt}, ends);
  house.begin({{on_regex(run, "Ready")}, false, std::nullopt}, line);
  ::kill(house.runs->keeper_pid(), SIGKILL);
  REQUIRE(house.loop.until([&] { return ends.has_value() && line.has_value(); }));
  CHECK(ends->end == WaitEnd::kFired);
  CHECK(run.state() == RunState::kLost);
  CHECK(line->end == WaitEnd::kImpossible);
  CHECK(has(line->message, "run " + run.id() + " ended ("));
  CHECK(line->tail == "working");
}

TEST_CASE("a run that is forgotten makes its conditions impossible") {
  RunLimits limits;
  limits.max_ended = 1;
  House house(limits);
  Run& run = house.sh("true");
  house.until_ended(run);
  const std::string id = run.id();
  // The last try of http is in progress while the run is forgotten.
  std::optional<WaitResult> result;
  house.begin({{on_http("http://127.0.0.1:1/", 0, id), on_timer(Millis{1})}, true, std::nullopt},
              result);
  house.until_ended(house.sh("true"));
  house.until_ended(house.sh("true"));
  REQUIRE(house.loop.until([&] { return result.has_value(); }));
  CHECK(result->end == WaitEnd::kImpossible);
  CHECK(result->run == id);
}

}  // namespace
}  // namespace gibbous
