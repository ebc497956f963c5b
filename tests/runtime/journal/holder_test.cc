// Whether the process that holds the journal may be expected to release it soon.
#include "runtime/journal/holder.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <thread>

#include "runtime/base/quiet_thread.h"
#include "tests/runtime/journal/desk.h"

namespace gibbous::testing {
namespace {

// A thread that is in the state of one that waits for a disk, until this is destroyed.
class WaitingForDisk {
 public:
  WaitingForDisk() {
    REQUIRE(::pipe2(ends_.data(), O_CLOEXEC) == 0);
    thread_ = std::thread([this] {
      // As vfork() waits, but with a memory of the child's own; the thread sanitizer knows neither.
      const auto child = static_cast<pid_t>(
          ::syscall(SYS_clone, CLONE_VFORK | SIGCHLD, nullptr, nullptr, nullptr, nullptr));
      if (child == 0) {
        char ignored = 0;
        ::syscall(SYS_read, ends_[0], &ignored, 1);
        ::syscall(SYS_exit_group, 0);
      }
      ::waitpid(child, nullptr, 0);
    });
  }
  ~WaitingForDisk() {
    CHECK(::write(ends_[1], "x", 1) == 1);
    thread_.join();
    for (const int end : ends_) ::close(end);
  }
  WaitingForDisk(const WaitingForDisk&) = delete;
  WaitingForDisk& operator=(const WaitingForDisk&) = delete;

 private:
  std::array<int, 2> ends_{};
  std::thread thread_;
};

bool until_at_work(const Desk& desk, bool expected) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (is_journal_at_work(desk.directory()) != expected) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::yield();
  }
  return true;
}

TEST_CASE("this process is at work while one of its threads waits for a disk") {
  Desk desk;
  REQUIRE(desk.open());
  REQUIRE(desk.flush());
  CHECK(until_at_work(desk, false));
  {
    const WaitingForDisk waiting;
    CHECK(until_at_work(desk, true));
    Plain plain(desk.file());
    REQUIRE(plain.run("BEGIN IMMEDIATE"));
    CHECK(holder_of_journal(desk.directory()) == "this process, which is still writing");
    CHECK(until_at_work(desk, true));
  }
  CHECK(until_at_work(desk, false));
}

TEST_CASE(
    "this process is at work while a thread computes that works for the journal, not another") {
  Desk desk;
  REQUIRE(desk.open());
  REQUIRE(desk.flush());
  std::atomic<bool> is_over = false;
  const auto compute = [&is_over] {
    while (!is_over) continue;
  };
  std::thread other(compute);
  CHECK(until_at_work(desk, false));
  std::thread own = quiet_thread(kDiskThread, compute);
  CHECK(until_at_work(desk, true));
  is_over = true;
  other.join();
  own.join();
  CHECK(until_at_work(desk, false));
}

TEST_CASE("no process is at work where there is no journal") {
  const TempDir dir;
  CHECK(holder_of_journal(dir.path()).empty());
  CHECK_FALSE(is_journal_at_work(dir.path() + "/missing"));
}

}  // namespace
}  // namespace gibbous::testing
