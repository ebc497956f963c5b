// Starts while the system has no process to give: what is reported, and what is tried again.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>

#include "runtime/keeper/delayed_starts.h"
#include "runtime/process/cgroup_places.h"
#include "tests/runtime/keeper/harness.h"

namespace gibbous::testing {
namespace {

using keeper::DelayedStart;
using keeper::DelayedStarts;
using keeper::kFirstStartPause;
using keeper::kMaxDelayedStarts;
using keeper::kStartRetries;
using keeper::Time;

// A control group that bounds the processes of the keeper and of what it starts. Destroyed after
// the harness.
class Scarcity {
 public:
  ~Scarcity() {
    if (directory_.empty()) return;
    // The kernel may need a moment to see that the group is empty.
    Loop loop;
    CHECK(loop.until([this] { return ::rmdir(directory_.c_str()) == 0; }));
  }
  // False: this machine has no such groups, or this user may not make them.
  bool hold(pid_t keeper) {
    const CgroupPlaces places = find_cgroup_places();
    if (!places.pids.ok()) return false;
    const std::string directory = places.pids.directory + "/gibbous-" + unique_tag();
    if (::mkdir(directory.c_str(), S_IRWXU) != 0) return false;
    directory_ = directory;
    return write("cgroup.procs", std::to_string(keeper));
  }
  bool allow(const std::string& processes) { return write("pids.max", processes); }
  // How many processes were refused.
  int refused() const {
    std::ifstream file(directory_ + "/pids.events");
    std::string word;
    int count = 0;
    file >> word >> count;
    return count;
  }

 private:
  bool write(const std::string& file, const std::string& text) const {
    const UniqueFd fd(::open((directory_ + "/" + file).c_str(), O_WRONLY | O_CLOEXEC));
    return fd && ::write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
  }

  std::string directory_;
};

// A keeper with one run, both in the group.
struct Desk {
  Scarcity scarcity;
  Harness harness;
  RunKey first = 0;

  bool begin() {
    const RunKey warm_up = harness.start_running(Harness::tree({"print", "up"}));
    REQUIRE(harness.wait_exit(warm_up));
    if (!scarcity.hold(harness.client().keeper_pid())) {
      WARN("NOT TESTED: no control group can bound processes here");
      return false;
    }
    first = harness.start_running(Harness::tree({"pause"}));
    return true;
  }
};

TEST_CASE("a start that fails for lack of processes names the step and the next succeeds") {
  Desk desk;
  if (!desk.begin()) return;
  Harness& harness = desk.harness;
  REQUIRE(desk.scarcity.allow("2"));
  const RunKey refused = harness.start(Harness::tree({"pause"}));
  REQUIRE(harness.wait_for([&] { return !harness.run(refused).failures.empty(); }));
  CHECK_FALSE(harness.run(refused).started);
  CHECK(harness.run(refused).failures.front().step == StartStep::kFork);
  CHECK(harness.run(refused).failures.front().error == EAGAIN);
  CHECK(desk.scarcity.refused() == 1 + kStartRetries);
  REQUIRE(desk.scarcity.allow("max"));
  harness.start_running(Harness::tree({"pause"}));
}

TEST_CASE("a start survives a moment without processes") {
  Desk desk;
  if (!desk.begin()) return;
  Harness& harness = desk.harness;
  REQUIRE(desk.scarcity.allow("2"));
  // The keeper reads both in one turn: the kill that makes room comes after the failed start.
  const RunKey second = harness.start(Harness::tree({"pause"}));
  harness.client().kill(desk.first, SIGKILL, Millis(0));
  REQUIRE(harness.wait_for(
      [&] { return harness.run(second).started || !harness.run(second).failures.empty(); }));
  CHECK(harness.run(second).started);
  CHECK(desk.scarcity.refused() > 0);
  CHECK(harness.wait_report(desk.first));
}

TEST_CASE("a run that is killed while its start is delayed is not started") {
  Desk desk;
  if (!desk.begin()) return;
  Harness& harness = desk.harness;
  REQUIRE(desk.scarcity.allow("2"));
  const std::string tag = unique_tag();
  const RunKey killed = harness.start(Harness::tree({"pause", tag}));
  harness.client().kill(killed, SIGKILL, Millis(0));
  REQUIRE(harness.wait_for([&] { return !harness.run(killed).failures.empty(); }));
  CHECK(desk.scarcity.refused() < 1 + kStartRetries);
  REQUIRE(desk.scarcity.allow("max"));
  harness.start_running(Harness::tree({"pause"}));
  CHECK_FALSE(harness.run(killed).started);
  CHECK(alive_with(tag).empty());
}

TEST_CASE("delayed starts of a host that goes away are not made") {
  Scarcity scarcity;
  const std::string tag = unique_tag();
  {
    Harness harness;
    harness.start_running(Harness::tree({"pause"}));
    if (!scarcity.hold(harness.client().keeper_pid()) || !scarcity.allow("1")) {
      WARN("NOT TESTED: no control group can bound processes here");
      return;
    }
    harness.start(Harness::tree({"pause", tag}));
  }
  CHECK(alive_with(tag).empty());
}

DelayedStart start_of(RunKey run) {
  DelayedStart start;
  start.run = run;
  return start;
}

TEST_CASE("a delayed start is due after pauses that double, a few times") {
  DelayedStarts starts;
  DelayedStart start = start_of(1);
  Time now{};
  auto pause = kFirstStartPause;
  for (int i = 0; i < kStartRetries; ++i) {
    REQUIRE(starts.delay(start, now));
    CHECK(starts.due() == now + pause);
    CHECK_FALSE(starts.take_due(now));
    now += pause;
    pause *= 2;
    auto taken = starts.take_due(now);
    REQUIRE(taken);
    start = std::move(*taken);
  }
  CHECK_FALSE(starts.delay(start, now));
  CHECK(starts.due() == Time::max());
}

TEST_CASE("only so many starts are delayed at once, and each can be taken back") {
  DelayedStarts starts;
  for (RunKey run = 1; run <= kMaxDelayedStarts; ++run) {
    DelayedStart start = start_of(run);
    REQUIRE(starts.delay(start, Time{}));
  }
  DelayedStart one_more = start_of(kMaxDelayedStarts + 1);
  CHECK_FALSE(starts.delay(one_more, Time{}));
  CHECK(starts.contains(3));
  CHECK(starts.take(3)->run == 3);
  CHECK_FALSE(starts.contains(3));
  CHECK_FALSE(starts.take(3));
  CHECK(starts.delay(one_more, Time{}));
}

TEST_CASE("only a lack of processes or memory is waited for") {
  CHECK(DelayedStarts::is_momentary({StartStep::kFork, EAGAIN, ""}));
  CHECK(DelayedStarts::is_momentary({StartStep::kFork, ENOMEM, ""}));
  CHECK_FALSE(DelayedStarts::is_momentary({StartStep::kFork, EPERM, ""}));
  CHECK_FALSE(DelayedStarts::is_momentary({StartStep::kExec, ENOMEM, ""}));
}

}  // namespace
}  // namespace gibbous::testing
