// A sandboxed run signals processes of its session's other sandboxed runs, through its keeper, and
// no others.
#include <linux/sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <string>
#include <vector>

#include "runtime/sandbox/sandbox.h"
#include "tests/runtime/keeper/harness.h"

namespace gibbous {
namespace {

using testing::Harness;

constexpr const char* kSession = "0123456789abcdef01234567";
constexpr const char* kOther = "89abcdef0123456789abcdef";
constexpr const char* kRefused = "refused EPERM\n";

class Signals {
 public:
  Signals() {
    constexpr std::uint32_t kAbiScope = 6;
    const SandboxSupport support = probe_sandbox_support();
    tested = can_confine() && support.listeners && support.landlock_abi >= kAbiScope;
    if (!tested) WARN("not tested: nobody can decide about signals here");
  }

  static StartRequest in_sandbox(StartRequest request, const std::string& session = kSession,
                                 SandboxNetwork network = SandboxNetwork::kChecked) {
    SandboxSpec& spec = request.sandbox.emplace();
    spec.profile = "test";
    spec.network = network;
    spec.read = {"/"};
    spec.network_group = "/s";
    spec.temporary_group = session;
    return request;
  }
  // Returns a run that says its pid and waits.
  RunKey server(const StartRequest& request = in_sandbox(Harness::tree({"print", "%p", "pause"}))) {
    const RunKey key = harness.start_running(request);
    pid = std::atoi(harness.read_lines(key, 1).c_str());
    REQUIRE(pid > 0);
    return key;
  }
  static StartRequest sender(pid_t pid, int number) {
    StartRequest request = Harness::tree({});
    request.argv = {testing::fixture("connects"), "signal", std::to_string(pid),
                    std::to_string(number)};
    return request;
  }
  // What a run says that signals the process.
  std::string signal(pid_t to, int number, const std::string& session = kSession,
                     SandboxNetwork network = SandboxNetwork::kChecked) {
    return harness.read_all(
        harness.start_running(in_sandbox(sender(to, number), session, network)));
  }

  Harness harness;
  bool tested = false;
  pid_t pid = 0;  // of the last server
};

TEST_CASE("signals: a run ends an earlier run of its session, whose end says so") {
  Signals signals;
  if (!signals.tested) return;
  for (const SandboxNetwork network :
       {SandboxNetwork::kChecked, SandboxNetwork::kLoopback, SandboxNetwork::kOff}) {
    const RunKey key = signals.server();
    CHECK(signals.signal(signals.pid, 0, kSession, network) == "reached\n");
    CHECK(signals.signal(signals.pid, SIGTERM, kSession, network) == "reached\n");
    REQUIRE(signals.harness.wait_exit(key));
    CHECK(signals.harness.run(key).exits.front().signal == SIGTERM);
  }
}

TEST_CASE("signals: daemons of an earlier run are reached, too") {
  Signals signals;
  if (!signals.tested) return;
  const RunKey key = signals.server(Signals::in_sandbox(
      Harness::tree({"double-fork", "{", "setsid", "print", "%p", "pause", "}", "pause"})));
  CHECK(signals.signal(signals.pid, SIGKILL) == "reached\n");
  CHECK(signals.harness.wait_for([&] { return !testing::is_alive(signals.pid); }));
  CHECK(signals.harness.run(key).exits.empty());
}

TEST_CASE("signals: no other session is reached, nothing outside of a sandbox, and no keeper") {
  Signals signals;
  if (!signals.tested) return;
  const RunKey own = signals.server();
  CHECK(signals.signal(signals.pid, 0, kOther) == kRefused);
  CHECK(signals.signal(signals.pid, SIGKILL, kOther) == kRefused);
  const auto stat = read_stat(signals.harness.run(own).pid);
  REQUIRE(stat);
  StartRequest outside = Signals::in_sandbox(Harness::tree({"print", "%p", "pause"}));
  outside.sandbox->names_only = true;
  StartRequest with_network =
      Signals::in_sandbox(Harness::tree({"print", "%p", "pause"}), kSession, SandboxNetwork::kOn);
  std::vector<pid_t> refused{::getpid(), stat->parent};
  for (const StartRequest& request :
       {Harness::tree({"print", "%p", "pause"}), outside, with_network}) {
    signals.server(request);
    refused.push_back(signals.pid);
  }
  for (const pid_t pid : refused) {
    INFO(pid);
    CHECK(signals.signal(pid, 0) == kRefused);
    CHECK(signals.signal(pid, SIGKILL) == kRefused);
    CHECK(testing::is_alive(pid));
  }
}

TEST_CASE("signals: a run that works on a copy reaches none but its own processes") {
  Signals signals;
  if (!signals.tested) return;
  signals.server();
  StartRequest request = Signals::in_sandbox(Signals::sender(signals.pid, SIGKILL), kSession,
                                             SandboxNetwork::kLoopback);
  request.sandbox->copied = true;
  CHECK(signals.harness.read_all(signals.harness.start_running(request)) == kRefused);
}

TEST_CASE("signals: a process that has ended is not there, and another one with its pid is safe") {
  Signals signals;
  if (!signals.tested) return;
  Harness& harness = signals.harness;
  std::vector<RunKey> senders;
  const RunKey key = signals.server();
  for (int i = 0; i < 2; ++i) {
    StartRequest request = Signals::in_sandbox(Signals::sender(signals.pid, SIGKILL));
    request.in = StdioKind::kPipe;
    senders.push_back(harness.start_running(request));
  }
  harness.client().kill(key, SIGKILL, Millis{0});
  REQUIRE(harness.wait_report(key));
  harness.run(senders[0]).in.reset();
  CHECK(harness.read_all(senders[0]) == "refused ESRCH\n");
  // Only root may choose a pid.
  clone_args arguments{};
  arguments.exit_signal = SIGCHLD;
  arguments.set_tid = reinterpret_cast<std::uint64_t>(&signals.pid);
  arguments.set_tid_size = 1;
  const long child = ::syscall(SYS_clone3, &arguments, sizeof arguments);
  if (child == 0) {
    ::close_range(0, ~0U, 0);  // the senders' stdin among them
    for (;;) ::pause();
  }
  if (child < 0) return;
  harness.run(senders[1]).in.reset();
  CHECK(harness.read_all(senders[1]) == kRefused);
  CHECK(testing::is_alive(signals.pid));
  ::kill(signals.pid, SIGKILL);
  CHECK(::waitpid(signals.pid, nullptr, 0) == signals.pid);
}

TEST_CASE("signals: a shell ends many of its own children, as without an earlier run") {
  Signals signals;
  if (!signals.tested) return;
  signals.server();
  StartRequest request = Harness::tree({});
  request.argv = {"/bin/sh", "-c",
                  "all=; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do sleep 1000 & "
                  "all=\"$all $!\"; done; for each in $all; do kill $each || echo failed; done; "
                  "wait; echo done"};
  const RunKey key = signals.harness.start_running(Signals::in_sandbox(request));
  CHECK(signals.harness.read_all(key) == "done\n");
}

}  // namespace
}  // namespace gibbous
