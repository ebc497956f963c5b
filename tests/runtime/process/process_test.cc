// /proc, trees, safe signals, the names of statuses, and the search for programs.
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <functional>
#include <string>
#include <vector>

#include "runtime/process/launch.h"
#include "runtime/process/proc.h"
#include "runtime/process/signals.h"
#include "runtime/process/tree.h"
#include "tests/support/catch.h"
#include "tests/support/loop.h"
#include "tests/support/patient_fork.h"

namespace gibbous::testing {
namespace {

// A child that waits to be killed; killed and reaped at the end.
class Child {
 public:
  explicit Child(const std::function<void()>& first = [] {}) {
    std::array<int, 2> ends{-1, -1};
    REQUIRE(::pipe(ends.data()) == 0);
    pid_ = gibbous::testing::patient_fork();
    if (pid_ == 0) {
      first();
      (void)!::write(ends[1], "x", 1);
      for (;;) ::pause();
    }
    char ready = 0;
    CHECK(::read(ends[0], &ready, 1) == 1);
    ::close(ends[0]);
    ::close(ends[1]);
  }
  ~Child() { end(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t pid() const { return pid_; }
  void end() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

 private:
  pid_t pid_ = 0;
};

TEST_CASE("stat returns parent, group, session and start time for any process name") {
  const Child child([] {
    ::prctl(PR_SET_NAME, "a) R 1 (b c", 0, 0, 0);
    ::setsid();
  });
  const auto stat = read_stat(child.pid());
  REQUIRE(stat);
  CHECK(stat->pid == child.pid());
  CHECK(stat->parent == ::getpid());
  CHECK(stat->group == child.pid());
  CHECK(stat->session == child.pid());
  CHECK(stat->alive());
  CHECK(stat->start_time > 0);
  CHECK(read_stat(child.pid())->start_time == stat->start_time);
}

TEST_CASE("there is no stat of a process that is gone, and a zombie is not alive") {
  Child child;
  const pid_t pid = child.pid();
  ::kill(pid, SIGKILL);
  siginfo_t info{};
  ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT);
  REQUIRE(read_stat(pid));
  CHECK_FALSE(read_stat(pid)->alive());
  child.end();
  CHECK_FALSE(read_stat(pid));
}

TEST_CASE("a variable is read from the environment that a process was executed with") {
  std::string name = "fixture_tree";
  std::string step = "pause";
  std::array<char*, 3> argv{name.data(), step.data(), nullptr};
  std::string first = "XGIBBOUS_RUN=no";
  std::string second = "GIBBOUS_RUN=abc";
  std::array<char*, 3> environment{first.data(), second.data(), nullptr};
  const std::string path = fixture("tree");
  const char* candidate = path.c_str();
  LaunchPlan plan;
  plan.candidates = std::span(&candidate, 1);
  plan.argv = argv.data();
  plan.environment = environment.data();
  Launcher launcher;
  Launched launched;
  REQUIRE_FALSE(launcher.launch(plan, launched));
  // The kernel lets the launcher go on a moment before the new program's environment can be read.
  Loop loop;
  CHECK(loop.until([&] {
    return read_environment_variable(launched.pid, "GIBBOUS_RUN") == std::string("abc");
  }));
  CHECK_FALSE(read_environment_variable(launched.pid, "RUN").has_value());
  CHECK(read_stat(launched.pid)->start_time == launched.start_time);
  CHECK(read_stat(launched.pid)->session == launched.pid);
  ::kill(launched.pid, SIGKILL);
  ::waitpid(launched.pid, nullptr, 0);
}

TEST_CASE("a failed launch names its step and leaves no child") {
  std::string name = "x";
  std::array<char*, 2> argv{name.data(), nullptr};
  std::array<char*, 1> environment{nullptr};
  const char* candidate = "/nonexistent/program";
  LaunchPlan plan;
  plan.candidates = std::span(&candidate, 1);
  plan.argv = argv.data();
  plan.environment = environment.data();
  StartStep expected = StartStep::kExec;
  SECTION("exec") {}
  SECTION("chdir") {
    plan.directory = "/nonexistent";
    expected = StartStep::kChdir;
  }
  SECTION("stdio") {
    constexpr int kNoFd = 4711;
    plan.stdio[1] = kNoFd;
    expected = StartStep::kStdio;
  }
  Launcher launcher;
  Launched launched;
  const auto error = launcher.launch(plan, launched);
  REQUIRE(error);
  CHECK(static_cast<int>(error->step) == static_cast<int>(expected));
  CHECK(launched.pid == 0);
  CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);
}

TEST_CASE("the tree below a process is found by the kernel's lists and by a scan") {
  const Child outer([] {
    if (gibbous::testing::patient_fork() == 0) {
      for (;;) ::pause();
    }
  });
  const Child lone;
  for (const auto source : {ProcessTree::Source::kChildrenFiles, ProcessTree::Source::kScan}) {
    ProcessTree tree(source);
    const auto& own = tree.own_children();
    CHECK(std::find(own.begin(), own.end(), outer.pid()) != own.end());
    CHECK(std::find(own.begin(), own.end(), lone.pid()) != own.end());
    CHECK(own.size() == 2);
    const auto below = tree.with_descendants({outer.pid()});
    REQUIRE(below.size() == 2);
    CHECK(below.front() == outer.pid());
    CHECK(read_stat(below.back())->parent == outer.pid());
    CHECK(tree.with_descendants({lone.pid()}) == std::vector<pid_t>{lone.pid()});
    if (source == ProcessTree::Source::kScan) ::kill(below.back(), SIGKILL);
  }
}

TEST_CASE("a signal goes only to processes that are still ours") {
  Child child;
  CHECK(send_signal_if(child.pid(), 0, [](pid_t) { return true; }) == SendOutcome::kSent);
  CHECK(send_signal_if(child.pid(), SIGKILL, [](pid_t) { return false; }) == SendOutcome::kNotOurs);
  CHECK(read_stat(child.pid())->alive());
  const pid_t pid = child.pid();
  // It ends between the check and the signal.
  CHECK(send_signal_if(pid, SIGKILL, [&child](pid_t) {
          child.end();
          return true;
        }) == SendOutcome::kGone);
  CHECK(send_signal_if(pid, SIGKILL, [](pid_t) { return true; }) == SendOutcome::kGone);
}

TEST_CASE("signals have names, both ways") {
  for (int number = 1; number < SIGRTMIN - 2; ++number) {
    CHECK(signal_number_of(signal_name(number)) == number);
  }
  CHECK(signal_number_of("TERM") == SIGTERM);
  CHECK(signal_number_of("sigkill") == SIGKILL);
  CHECK(signal_number_of("9") == SIGKILL);
  for (const char* wrong : {"", "SIG", "0", "-1", "1000", "SIGNOTHING", "9x"}) {
    INFO(wrong);
    CHECK(signal_number_of(wrong) == 0);
  }
}

TEST_CASE("a status is described in words") {
  CHECK(describe_status(0, 0, false) == "exit code 0");
  CHECK(describe_status(1, 0, false) == "exit code 1");
  CHECK(describe_status(0, SIGTERM, false) == "killed by SIGTERM");
  CHECK(describe_status(0, SIGSEGV, true) == "killed by SIGSEGV (core dumped)");
}

std::vector<std::string> candidates(const char* name, std::vector<const char*> environment) {
  const ExecCandidates found(name, environment);
  return {found.paths().begin(), found.paths().end()};
}

TEST_CASE("a program is searched for where execvp searches") {
  using Paths = std::vector<std::string>;
  CHECK(candidates("prog", {"A=1", "PATH=/a:/b", "PATH=/c"}) == Paths{"/a/prog", "/b/prog"});
  CHECK(candidates("prog", {"PATH=:/a::/b:"}) ==
        Paths{"prog", "/a/prog", "prog", "/b/prog", "prog"});
  CHECK(candidates("prog", {"PATH="}) == Paths{"prog"});
  CHECK(candidates("prog", {}) == Paths{"/bin/prog", "/usr/bin/prog"});
  CHECK(candidates("./prog", {"PATH=/a"}) == Paths{"./prog"});
  CHECK(candidates("/x/prog", {"PATH=/a"}) == Paths{"/x/prog"});
  CHECK(candidates("", {"PATH=/a"}) == Paths{""});
}

}  // namespace
}  // namespace gibbous::testing
