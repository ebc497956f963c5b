#include "runtime/keeper/own_scope.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "runtime/process/proc.h"
#include "runtime/process/user_scope.h"

namespace gibbous::keeper {
namespace {

// A host that runs one command is done by then, and needs no scope.
constexpr std::chrono::milliseconds kAfterEnd{50};
constexpr std::chrono::milliseconds kAfterStart{300};
// The child gives up by itself; this is for one that hangs in the kernel.
constexpr std::chrono::seconds kChildPatience = kUserScopePatience + std::chrono::seconds(2);

}  // namespace

void OwnScope::started(Time now) {
  if (phase_ != Phase::kIdle) return;
  phase_ = Phase::kWaiting;
  due_ = now + kAfterStart;
}

void OwnScope::answered(Time now) {
  if (phase_ == Phase::kWaiting) due_ = std::min<Time>(due_, now + kAfterEnd);
}

pid_t OwnScope::ask(std::uint32_t keeper_number, pid_t warden, Time now) {
  phase_ = Phase::kOver;
  due_ = Time::max();
  if (!may_leave_groups()) return 0;
  const pid_t keeper = ::getpid();
  // The keeper itself first. Another process may have the pid of a warden that has ended.
  std::vector<pid_t> processes = {keeper};
  if (warden > 0 && ::getppid() == warden) processes.push_back(warden);
  const pid_t pid = ::fork();  // the keeper has one thread
  if (pid < 0) return 0;
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (::getppid() != keeper) ::_exit(1);
    ::prctl(PR_SET_NAME, "gibbous-scope", 0, 0, 0);
    constexpr long kFirstOther = 3;
    constexpr long kAllFds = 0x7fffffff;
    ::syscall(SYS_close_range, kFirstOther, kAllFds, 0);
    ::_exit(make_user_scope(keeper_number, processes) ? 0 : 1);
  }
  phase_ = Phase::kAsked;
  due_ = now + kChildPatience;
  return child_ = pid;
}

std::optional<bool> OwnScope::ended(pid_t pid, int status) {
  if (child_ == 0 || pid != child_) return std::nullopt;
  child_ = 0;
  phase_ = Phase::kOver;
  due_ = Time::max();
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void OwnScope::tick(Time now) {
  if (phase_ == Phase::kAsked && now >= due_) give_up();
}

void OwnScope::give_up() {
  if (child_ != 0) ::kill(child_, SIGKILL);
  phase_ = Phase::kOver;
  due_ = Time::max();
}

}  // namespace gibbous::keeper
