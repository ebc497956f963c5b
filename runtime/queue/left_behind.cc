#include "runtime/queue/left_behind.h"

#include <set>
#include <thread>

#include "runtime/keeper/orphan_sweep.h"
#include "runtime/process/run_group.h"

namespace gibbous {

std::size_t end_left_behind(std::uint32_t keeper, const std::vector<ProcessIdentity>& leaders) {
  // What has lost its mark is in the group of its run.
  std::set<pid_t> grouped;
  kill_run_groups(find_cgroup_places(), keeper, [&](pid_t pid) {
    grouped.insert(pid);
    return false;
  });
  OrphanSweep sweep(keeper, leaders);
  while (!sweep.round()) std::this_thread::sleep_for(sweep.pause());
  for (const pid_t pid : sweep.ended()) grouped.insert(pid);
  return grouped.size();
}

}  // namespace gibbous
