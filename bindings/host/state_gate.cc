#include "bindings/host/state_gate.h"

#include <utility>

#include "runtime/paths/mount_types.h"
#include "runtime/paths/walk.h"
#include "runtime/runs/path_lookups.h"

namespace gibbous::host {

StateGate::StateGate(std::string directory, Runs& runs)
    : directory_(std::move(directory)), runs_(runs) {}

bool StateGate::answers_at_once() const {
  if (directory_.empty() || !runs_.paths().is_open()) return true;
  return paths::answers_at_once(directory_, *runs_.paths().mounts()->now());
}

void StateGate::pass(std::function<void(bool answers)> work) {
  if (!asking_ && answers_at_once()) return work(true);
  waiting_.push_back(std::move(work));
  if (std::exchange(asking_, true)) return;
  (void)runs_.paths().ask(
      {paths::Ask::kEnter, directory_, {}}, 0,
      [this, alive = std::weak_ptr<const int>(lifetime_)](const paths::Answer& answer) {
        if (!alive.expired()) open(answer.answered);
      });
}

void StateGate::open(bool answers) {
  asking_ = false;
  const auto passing = std::exchange(waiting_, {});
  for (const auto& work : passing) work(answers);
}

}  // namespace gibbous::host
