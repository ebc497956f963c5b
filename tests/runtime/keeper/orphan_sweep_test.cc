// What a sweep may not end.
#include "runtime/keeper/orphan_sweep.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <set>
#include <thread>

#include "runtime/process/proc.h"
#include "tests/support/catch.h"
#include "tests/support/patient_fork.h"

namespace gibbous::testing {
namespace {

TEST_CASE("a sweep names the processes of a run that have another user's rights") {
  constexpr uid_t kNobody = 65534;
  constexpr std::uint32_t kNumber = 0x7abcde;
  if (::geteuid() != 0) return;
  const pid_t leader = patient_fork();
  if (leader == 0) {
    ::pause();
    ::_exit(0);
  }
  const auto stat = read_stat(leader);
  REQUIRE(stat);
  const pid_t sweeper = patient_fork();
  if (sweeper == 0) {
    if (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0) ::_exit(2);
    OrphanSweep sweep(kNumber, {{leader, stat->start_time}});
    while (!sweep.round()) std::this_thread::sleep_for(sweep.pause());
    ::_exit(sweep.refused() == std::set<pid_t>{leader} && sweep.ended().empty() ? 0 : 1);
  }
  int status = 0;
  CHECK(::waitpid(sweeper, &status, 0) == sweeper);
  CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
  ::kill(leader, SIGKILL);
  ::waitpid(leader, nullptr, 0);
}

}  // namespace
}  // namespace gibbous::testing
