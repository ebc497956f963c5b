// The guard ends a stuck process, and leaves others alone.
#include "bindings/mcp/exit_guard.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include "tests/support/catch.h"
#include "tests/support/patient_fork.h"
#include "tests/support/remote_disk.h"

namespace gibbous::mcp {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience(10);
constexpr int kStuck = 99;

struct Pair {
  explicit Pair(bool sockets) {
    std::array<int, 2> fds{};
    REQUIRE((sockets ? ::socketpair(AF_UNIX, SOCK_STREAM, 0, fds.data()) : ::pipe(fds.data())) ==
            0);
    read.reset(fds[0]);
    write.reset(fds[1]);
  }
  UniqueFd read;
  UniqueFd write;
};

// Runs `body` with a guard in a child process and returns its exit code. The child is stuck
// afterwards, for longer than the test waits.
int exit_code_of_stuck_child(Pair& input, Pair& stop, const std::function<void()>& in_parent) {
  const pid_t child = gibbous::testing::patient_fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    input.write.reset();
    stop.write.reset();
    ::alarm(static_cast<unsigned>(kPatience.count()));
    ExitGuard guard(input.read.get(), -1, stop.read.get(), std::chrono::milliseconds(10));
    guard.serving(/*is_batch=*/false);
    while (true) ::pause();
  }
  in_parent();
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : kStuck;
}

TEST_CASE("a stuck process is ended when its client has gone") {
  for (const bool sockets : {false, true}) {
    Pair input(sockets);
    Pair stop(false);
    CHECK(exit_code_of_stuck_child(input, stop, [&input] { input.write.reset(); }) == 0);
  }
}

TEST_CASE("a stuck process is ended whose client went before it said that it serves") {
  Pair input(false);
  const pid_t child = gibbous::testing::patient_fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    input.write.reset();
    ::alarm(static_cast<unsigned>(kPatience.count()));
    ExitGuard guard(input.read.get(), -1, -1, std::chrono::milliseconds(10));
    pollfd gone{input.read.get(), POLLIN, 0};
    ::poll(&gone, 1, -1);
    guard.serving(/*is_batch=*/false);
    while (true) ::pause();
  }
  input.write.reset();
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
}

TEST_CASE("a stuck process is ended after a stop") {
  Pair input(false);
  Pair stop(false);
  CHECK(exit_code_of_stuck_child(
            input, stop, [&stop] { REQUIRE(::write(stop.write.get(), "x", 1) == 1); }) == 0);
}

// Its requests are to be answered, which may take long.
TEST_CASE("a process whose input ended before it served is ended when its reader has gone") {
  for (const bool sockets : {false, true}) {
    for (const bool serves : {false, true}) {
      Pair input(false);
      Pair output(sockets);
      const pid_t child = gibbous::testing::patient_fork();
      REQUIRE(child >= 0);
      if (child == 0) {
        input.write.reset();
        output.read.reset();
        ::alarm(static_cast<unsigned>(kPatience.count()));
        ExitGuard guard(input.read.get(), output.write.get(), -1, std::chrono::milliseconds(10));
        if (serves) guard.serving(/*is_batch=*/true);
        while (true) ::pause();
      }
      output.write.reset();
      input.write.reset();
      // It lives on: its end would close the output.
      pollfd end{output.read.get(), POLLIN, 0};
      CHECK(::poll(&end, 1, 100) == 0);
      output.read.reset();
      int status = 0;
      REQUIRE(::waitpid(child, &status, 0) == child);
      CHECK(WIFEXITED(status));
    }
  }
}

TEST_CASE("a process that ends in time is not killed by its guard") {
  Pair input(false);
  Pair stop(false);
  {
    const ExitGuard guard(input.read.get(), -1, stop.read.get(), kPatience);
    input.write.reset();
  }
  { const ExitGuard nothing_happened(stop.read.get(), -1, -1, kPatience); }
  SUCCEED("still here");
}

TEST_CASE("a process that a disk holds at its end says so before it is ended") {
  Pair input(false);
  Pair said(false);
  const pid_t child = gibbous::testing::patient_fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    input.write.reset();
    ::dup2(said.write.get(), STDERR_FILENO);
    ::alarm(static_cast<unsigned>(kPatience.count()));
    ExitGuard guard(input.read.get(), -1, -1, std::chrono::milliseconds(10));
    guard.serving(/*is_batch=*/false);
    guard.waits_for_disk("path_unanswered: state_dir");
    guard.waits_for_disk("another");
    while (true) ::pause();
  }
  said.write.reset();
  input.write.reset();
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  std::array<char, 256> text{};
  REQUIRE(::read(said.read.get(), text.data(), text.size() - 1) > 0);
  CHECK(std::string_view(text.data()) == "gibbous: path_unanswered: state_dir\n");
}

// Returns the process that has a lock of the file; 0 when there is none.
pid_t holder_of(const UniqueFd& file) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  REQUIRE(::fcntl(file.get(), F_GETLK, &lock) == 0);
  return lock.l_type == F_UNLCK ? 0 : lock.l_pid;
}

bool lock_all(const UniqueFd& file) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return ::fcntl(file.get(), F_SETLK, &lock) == 0;
}

// A thread that is in the middle of a commit must not go on without its locks.
TEST_CASE("a process that a disk holds lets its client go, and keeps its locks until it is gone") {
  gibbous::testing::RemoteDisk disk;
  if (!disk.mounted()) {
    WARN("not tested: " + disk.said());
    return;
  }
  const gibbous::testing::TempDir dir;
  const std::string path = dir.path() + "/locked";
  const UniqueFd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  REQUIRE(file);
  Pair input(false);
  Pair output(true);
  disk.die();
  const pid_t child = gibbous::testing::patient_fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    input.write.reset();
    output.read.reset();
    if (!lock_all(file)) ::_exit(kStuck);
    std::thread([&disk] { ::open(disk.path("file").c_str(), O_RDONLY | O_CLOEXEC); }).detach();
    ExitGuard guard(input.read.get(), output.write.get(), -1, std::chrono::milliseconds(10));
    guard.serving(/*is_batch=*/false);
    while (true) ::pause();
  }
  output.write.reset();
  while (!disk.holds_requests()) std::this_thread::yield();
  CHECK(holder_of(file) == child);
  input.write.reset();
  pollfd end{output.read.get(), POLLIN, 0};
  constexpr int kPatienceMs = 30'000;
  CHECK(::poll(&end, 1, kPatienceMs) == 1);
  CHECK(holder_of(file) == child);
  disk.live();
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(holder_of(file) == 0);
}

}  // namespace
}  // namespace gibbous::mcp
