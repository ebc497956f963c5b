// Stopped processes are told from silent ones.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "runtime/process/usage.h"
#include "tests/support/catch.h"
#include "tests/support/patient_fork.h"

namespace gibbous::testing {
namespace {

TEST_CASE("a process that a signal has stopped counts as stopped until it is continued") {
  const pid_t child = patient_fork();
  if (child == 0) {
    while (true) ::pause();
  }
  const std::array<pid_t, 1> pids{child};
  const auto stopped = [&] { return read_usage({.pids = pids}).stopped; };
  CHECK(stopped() == 0);
  int status = 0;
  ::kill(child, SIGSTOP);
  REQUIRE(::waitpid(child, &status, WUNTRACED) == child);
  CHECK(stopped() == 1);
  ::kill(child, SIGCONT);
  REQUIRE(::waitpid(child, &status, WCONTINUED) == child);
  CHECK(stopped() == 0);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

}  // namespace
}  // namespace gibbous::testing
