#include "runtime/keeper/proofs.h"

#include <signal.h>

#include <algorithm>
#include <utility>

namespace gibbous::keeper {

void Proofs::add(DelayedStart start, Time now, pid_t child) {
  proofs_.push_back({std::move(start), child, now + kProofPatience});
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
