#include "runtime/queue/left_behind.h"

#include <algorithm>
#include <optional>
#include <set>
#include <thread>

#include "runtime/keeper/orphan_sweep.h"
#include "runtime/process/mark.h"
#include "runtime/process/run_group.h"

namespace gibbous {

// Its record says that it is gone; another one may have its number.
static bool is_alive(std::uint32_t keeper) {
  std::vector<pid_t> pids;
  (void)list_numbers("/proc", pids);
  return std::any_of(pids.begin(), pids.end(), [&](pid_t pid) {
    const auto marks = read_marks(pid);
    const auto run = marks ? marks->run_of(keeper) : std::nullopt;
    // Only a keeper has a hard limit that is none, or is another's: a run cannot take its own off.
    rlimit limit{};
    if (run != 0U || ::prlimit(pid, RLIMIT_RTTIME, nullptr, &limit) != 0 ||
        (mark_mode() == MarkMode::kHard && limit.rlim_max != RLIM_INFINITY)) {
      return false;
    }
    const auto stat = read_stat(pid);
    return stat && stat->alive();
  });
}

LeftBehind end_left_behind(std::uint32_t keeper, const std::vector<ProcessIdentity>& leaders) {
  if (is_alive(keeper)) return {};
  // What has lost its mark is in the group of its run.
  std::set<pid_t> grouped;
  kill_run_groups(find_cgroup_places(), keeper, [&](pid_t pid) {
    grouped.insert(pid);
    return false;
  });
  OrphanSweep sweep(keeper, leaders);
  while (!sweep.round()) std::this_thread::sleep_for(sweep.pause());
  for (const pid_t pid : sweep.ended()) grouped.insert(pid);
  return {grouped.size(), {sweep.refused().begin(), sweep.refused().end()}};
}

}  // namespace gibbous
