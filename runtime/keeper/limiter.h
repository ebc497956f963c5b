// Limiter: the limits of whole trees. Makes the control groups of a run before its leader starts,
// looks at what has no group to hold it, and says when a limit is used up. Keeper only.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gibbous/status.h"
#include "runtime/keeper/process_table.h"
#include "runtime/process/cgroup_places.h"
#include "runtime/process/run_group.h"
#include "runtime/process/tree_limits.h"

namespace gibbous::keeper {

using Time = std::chrono::steady_clock::time_point;

// The additional state of a run with limits; null for all others.
struct DetachedLimits {
  TreeLimits limits;
  LimitsInForce in_force;
  std::unique_ptr<RunGroup> group;  // null where everything is looked after by polling
  int looks = 0;                    // that are still due after an event
  Time poll_due = Time::max();      // of the next look at /proc
  Time due = Time::max();           // of the next look
  bool reached = false;
};

class Limiter {
 public:
  // `epoll`: where the groups' events are waited for.
  Limiter(ProcessTable& table, int epoll, std::uint32_t keeper_number);
  ~Limiter();

  // Before the start. Null when there is nothing to limit; a status names the limit that nothing on
  // this machine can hold.
  Result<std::unique_ptr<DetachedLimits>> prepare(const TreeLimits& limits);
  // The leader runs.
  void begin(KeeperRun& run, Time now);
  // Something about this run's kernel limits may have happened, or its leader has ended.
  std::optional<LimitReached> look(KeeperRun& run);
  // A descriptor of a group has something to say. Null: it belongs to none.
  KeeperRun* run_of_event(int fd);
  // It may have been said before it was done: it is looked at again, soon and some times.
  void look_again(KeeperRun& run, Time now);

  Time due() const { return due_; }
  // The limits that were used up by now.
  std::vector<std::pair<RunKey, LimitReached>> tick(Time now);

  // The run is over: its groups go as soon as the kernel lets them.
  void release(std::unique_ptr<DetachedLimits> limits, Time now);
  // Everything is over: true when no group is left.
  bool remove_all();

 private:
  // Rescans the table when it needs to and no other part has in this tick.
  std::optional<LimitReached> check(KeeperRun& run, Time now, bool& rescanned);
  std::optional<LimitReached> poll(KeeperRun& run, Time now);
  void note_due(Time due) { due_ = due < due_ ? due : due_; }

  ProcessTable& process_table_;
  int epoll_;
  std::string group_name_;
  std::optional<CgroupPlaces> places_;  // looked for by the first run with limits
  std::uint32_t last_group_ = 0;
  std::vector<RunKey> limited_;  // runs that are polled, maybe some that were
  std::vector<std::unique_ptr<RunGroup>> leaving_;
  Time due_ = Time::max();
};

}  // namespace gibbous::keeper
