// Proofs: starts that wait until it is proven that their directory, their program and what their
// sandbox names answer. The launch suspends the keeper until the program is executed, so a file
// system that does not answer would stop all runs; instead a child of the keeper goes there first,
// and is given up if it does not come back. Pure but for the children. Keeper only.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <vector>

#include "runtime/keeper/delayed_starts.h"
#include "runtime/keeper/kill_job.h"

namespace gibbous::keeper {

inline constexpr std::chrono::seconds kProofPatience{5};
// Children that hang, and those under way.
inline constexpr std::size_t kMaxProofs = 64;

class Proofs {
 public:
  bool is_full() const { return proofs_.size() + given_up_.size() >= kMaxProofs; }
  void add(DelayedStart start, Time now, pid_t child);
  // Takes the start for which this child went; none: it was no such child, or it was given up.
  std::optional<DelayedStart> ended(pid_t pid);
  // Takes one whose child has not come back in time.
  std::optional<DelayedStart> take_due(Time now);
  // Takes the start of this run; its child ends.
  std::optional<DelayedStart> take(RunKey run);
  bool contains(RunKey run) const;
  Time due() const;  // of the next; Time::max() when there is none
  // Its children end as far as they can.
  void clear();

 private:
  struct Proof {
    DelayedStart start;
    pid_t pid = 0;
    Time until{};
  };
  std::vector<Proof> proofs_;
  std::vector<pid_t> given_up_;  // not ended yet
};

}  // namespace gibbous::keeper
