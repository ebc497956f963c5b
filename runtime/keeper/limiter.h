// Limiter: the control groups of runs, and the limits of whole trees. Makes the groups of a run
// before its leader starts, polls what no group limits, and reports when a limit is reached. Keeper
// only.
//
// Only the keeper knows which processes are a run's, so it measures them, on request or at the
// earliest time at which a limit could be used up. A run without limits costs nothing.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gibbous/status.h"
#include "runtime/keeper/process_table.h"
#include "runtime/process/cgroup_places.h"
#include "runtime/process/run_group.h"
#include "runtime/process/tree_limits.h"

namespace gibbous::keeper {

using Time = std::chrono::steady_clock::time_point;

// What limits a run, and its groups.
struct DetachedLimits {
  TreeLimits limits;
  LimitsInForce in_force;
  std::unique_ptr<RunGroup> group;  // null where none can be made
  int looks = 0;                    // still due after an event
  Time poll_due = Time::max();      // the next look at /proc
  Time due = Time::max();           // the next look of either kind
  bool reached = false;
  std::uint64_t kills_around = 0;    // for memory, in the surrounding group, at the start
  std::uint64_t machine_shared = 0;  // at the start; for memory without a group
};

class Limiter {
 public:
  // `epoll` waits for the groups' events.
  Limiter(ProcessTable& table, int epoll, std::uint32_t keeper_number);
  ~Limiter();

  // Called before the start. An error names the limit that this machine cannot enforce.
  Result<std::unique_ptr<DetachedLimits>> prepare(const TreeLimits& limits);
  // Makes groups for the next runs, when there is time.
  bool lacks_ready() const;
  void make_ready();
  // Whether every run has a group; true while that is unknown.
  bool has_groups() const { return !places_ || places_->kill.ok(); }
  // The keeper is in another group now.
  void find_places_again();
  // The leader runs.
  void begin(KeeperRun& run, Time now);
  // Called when a group of this run has reported something, or its leader has ended.
  std::optional<LimitReached> look(KeeperRun& run);
  // Called when SIGKILL has ended its leader: the kernel may have, for the surrounding group.
  std::optional<LimitReached> killed_around(const KeeperRun& run) const;
  // The run whose group has this descriptor; null: none has.
  KeeperRun* run_of_event(int fd);
  // The kernel may report an event before its counters show it: looks again soon, several times.
  void look_again(KeeperRun& run, Time now);

  Time due() const { return due_; }
  // The limits that have been reached by now.
  std::vector<std::pair<RunKey, LimitReached>> tick(Time now);

  // The run is over: its groups are removed as soon as the kernel allows it.
  void release(std::unique_ptr<DetachedLimits> limits, Time now);
  // Removes the groups of all runs; true: none is left.
  bool remove_all();

 private:
  struct MemoryLook {
    std::uint64_t used = 0;
    std::chrono::milliseconds pause{0};  // until the next look
  };
  static MemoryLook look_at_memory(DetachedLimits& kept, std::span<const pid_t> members,
                                   std::uint64_t resident);
  // Rescans the table if it needs to and `rescanned` is not set yet.
  std::optional<LimitReached> check(KeeperRun& run, Time now, bool& rescanned);
  std::optional<LimitReached> poll(KeeperRun& run, Time now);
  void find_places();
  std::unique_ptr<RunGroup> take_ready();
  // Removes it as soon as that is possible.
  void leave(std::unique_ptr<RunGroup> group, Time now);
  void note_due(Time due) { due_ = due < due_ ? due : due_; }

  ProcessTable& process_table_;
  int epoll_;
  std::string group_name_;
  std::optional<CgroupPlaces> places_;
  std::vector<std::unique_ptr<RunGroup>> ready_;  // for runs without limits
  bool makes_groups_ = true;                      // false: the keeper ends
  Time next_group_{};                             // not before, after one could not be made
  std::chrono::milliseconds remove_pause_{0};
  std::uint32_t last_group_ = 0;
  std::vector<RunKey> limited_;  // runs that are polled, and some that no longer are
  std::vector<std::unique_ptr<RunGroup>> leaving_;
  Time due_ = Time::max();
};

}  // namespace gibbous::keeper
