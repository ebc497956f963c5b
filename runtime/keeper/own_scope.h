// OwnScope: has the keeper and its warden moved to where the keeper can make control groups, when
// it can make none where it is: into a scope of the user's systemd manager (runtime/process/
// user_scope.h). Once, after the first answer, so that no start waits for it: a child asks, waits
// and arranges the scope. When that fails, runs go on without groups. Keeper only.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

#include "runtime/keeper/kill_job.h"

namespace gibbous::keeper {

class OwnScope {
 public:
  // A run has started, or ended.
  void started(Time now);
  void answered(Time now);

  // It is time to call ask(), or give_up().
  bool wants_to_ask(Time now) const { return phase_ == Phase::kWaiting && now >= due_; }
  // Starts the child and returns its pid; 0: nothing is asked for. `warden`: 0 for none.
  pid_t ask(std::uint32_t keeper_number, pid_t warden, Time now);
  // Returns whether the keeper was moved, when this was the child.
  std::optional<bool> ended(pid_t pid, int status);
  // Ends a child that hangs.
  void tick(Time now);
  // Ends the child; nothing will be asked for.
  void give_up();
  // The next time to call wants_to_ask() or tick().
  Time due() const { return due_; }

 private:
  enum class Phase : std::uint8_t { kIdle, kWaiting, kAsked, kOver };

  Phase phase_ = Phase::kIdle;
  Time due_ = Time::max();
  pid_t child_ = 0;
};

}  // namespace gibbous::keeper
