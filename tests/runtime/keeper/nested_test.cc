// Keepers below keepers, and keepers that cannot set marks: what is lost, and what is still ended.
#include <sys/resource.h>
#include <sys/wait.h>

#include <functional>

#include "runtime/process/mark.h"
#include "tests/runtime/keeper/harness.h"
#include "tests/support/patient_fork.h"

namespace gibbous::testing {
namespace {

constexpr Millis kGrace{100};

// In a process of its own, because hard limits cannot be raised again.
bool below_limit(const rlimit& limit, const std::function<bool()>& body) {
  const pid_t pid = gibbous::testing::patient_fork();
  if (pid == 0) ::_exit(::setrlimit(RLIMIT_RTTIME, &limit) == 0 && body() ? 0 : 1);
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool ends_whole_tree(const std::vector<std::string>& steps, std::size_t processes,
                     const std::vector<std::string>& env = {}) {
  Harness harness;
  const std::string tag = unique_tag();
  StartRequest request = Harness::tree({"tag", tag});
  request.argv.insert(request.argv.end(), steps.begin(), steps.end());
  request.env.insert(request.env.end(), env.begin(), env.end());
  const RunKey run = harness.start(request);
  if (!harness.wait_for([&] { return harness.run(run).started; })) return false;
  harness.read_lines(run, processes);
  harness.client().kill(run, SIGTERM, kGrace);
  return harness.wait_report(run) && alive_with(tag).empty() &&
         harness.run(run).reports.front().dead == processes;
}

// Kills the keeper and looks for what remains.
bool nothing_is_left_without_the_keeper(const std::vector<std::string>& steps,
                                        std::size_t processes) {
  Harness harness;
  const std::string tag = unique_tag();
  StartRequest request = Harness::tree({"tag", tag});
  request.argv.insert(request.argv.end(), steps.begin(), steps.end());
  const RunKey run = harness.start(request);
  if (!harness.wait_for([&] { return harness.run(run).started; })) return false;
  harness.read_lines(run, processes);
  ::kill(harness.client().keeper_pid(), SIGKILL);
  return harness.wait_for([&] { return harness.run(run).lost; }) && alive_with(tag).empty();
}

const std::vector<std::string> kDaemon{"double-fork", "{", "setsid", "clear-env", "print", "up",
                                       "pause",       "}", "print",  "up",        "pause"};
// Keeps its environment.
const std::vector<std::string> kService{"double-fork", "{", "setsid", "print", "up",
                                        "pause",       "}", "print",  "up",    "pause"};
// This one has neither the session nor the environment.
const std::vector<std::string> kOrphan{"double-fork", "{", "clear-env", "print", "up",
                                       "pause",       "}", "print",     "up",    "pause"};

TEST_CASE("a keeper below a keeper ends its own runs, with and without itself") {
  constexpr std::uint32_t kOuterKeeper = 0xabcdef01;
  if (mark_mode() != MarkMode::kHard) return;
  const rlimit outer = mark_limit({kOuterKeeper, 1}, MarkMode::kHard);
  CHECK(below_limit(outer, [] { return ends_whole_tree(kDaemon, 2); }));
  CHECK(below_limit(outer, [] { return nothing_is_left_without_the_keeper(kDaemon, 2); }));
}

TEST_CASE("without marks, session and environment identify the owner of an orphan") {
  if (mark_mode() != MarkMode::kHard) return;
  constexpr rlim_t kSomeLimit = 1'000'000;
  const rlimit taken{kSomeLimit, kSomeLimit};
  CHECK(below_limit(taken, [] { return ends_whole_tree(kOrphan, 2); }));
  CHECK(below_limit(taken, [] { return ends_whole_tree(kService, 2, {"GIBBOUS_RUN=abcdefgh"}); }));
}

TEST_CASE("without marks, the end of the client still ends everything") {
  if (mark_mode() != MarkMode::kHard) return;
  constexpr rlim_t kSomeLimit = 1'000'000;
  CHECK(below_limit({kSomeLimit, kSomeLimit}, [] {
    const std::string tag = unique_tag();
    {
      Harness harness;
      StartRequest request = Harness::tree({"tag", tag});
      request.argv.insert(request.argv.end(), kDaemon.begin(), kDaemon.end());
      const RunKey run = harness.start_running(request);
      harness.read_lines(run, 2);
    }
    Loop loop;
    return loop.until([&] { return alive_with(tag).empty(); });
  }));
}

}  // namespace
}  // namespace gibbous::testing
