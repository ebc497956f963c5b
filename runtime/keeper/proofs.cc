#include "runtime/keeper/proofs.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace gibbous::keeper {

pid_t Proofs::begin(DelayedStart start, Time now, const std::function<void()>& go) {
  if (proofs_.size() + given_up_.size() >= kMaxProofs) return 0;
  const pid_t keeper = ::getpid();
  const pid_t pid = ::fork();  // the keeper has one thread
  if (pid < 0) return 0;
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (::getppid() != keeper) ::_exit(0);
    // It may hang for ever, and must hold nothing then.
    constexpr long kAllFds = 0x7fffffff;
    ::syscall(SYS_close_range, 0, kAllFds, 0);
    go();
    ::_exit(0);
  }
  proofs_.push_back({std::move(start), pid, now + kProofPatience});
  return pid;
}

std::optional<DelayedStart> Proofs::ended(pid_t pid) {
  std::erase(given_up_, pid);
  const auto found = std::find_if(proofs_.begin(), proofs_.end(),
                                  [pid](const Proof& proof) { return proof.pid == pid; });
  if (found == proofs_.end()) return std::nullopt;
  std::optional<DelayedStart> start = std::move(found->start);
  proofs_.erase(found);
  return start;
}

std::optional<DelayedStart> Proofs::take_due(Time now) {
  const auto found = std::find_if(proofs_.begin(), proofs_.end(),
                                  [now](const Proof& proof) { return proof.until <= now; });
  return found == proofs_.end() ? std::nullopt : take(found->start.run);
}

std::optional<DelayedStart> Proofs::take(RunKey run) {
  const auto found = std::find_if(proofs_.begin(), proofs_.end(),
                                  [run](const Proof& proof) { return proof.start.run == run; });
  if (found == proofs_.end()) return std::nullopt;
  ::kill(found->pid, SIGKILL);
  given_up_.push_back(found->pid);
  std::optional<DelayedStart> start = std::move(found->start);
  proofs_.erase(found);
  return start;
}

bool Proofs::contains(RunKey run) const {
  return std::any_of(proofs_.begin(), proofs_.end(),
                     [run](const Proof& proof) { return proof.start.run == run; });
}

Time Proofs::due() const {
  Time due = Time::max();
  for (const Proof& proof : proofs_) due = std::min(due, proof.until);
  return due;
}

void Proofs::clear() {
  while (!proofs_.empty()) take(proofs_.front().start.run);
}

}  // namespace gibbous::keeper
