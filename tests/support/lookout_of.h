// Finds the lookout of a host that is about to be killed with all that guards its runs.
#pragma once

#include <sys/types.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "runtime/process/proc.h"

namespace gibbous::testing {

// It was started between the second warden and the first; 0: none.
inline pid_t lookout_of(pid_t second, pid_t warden) {
  std::vector<pid_t> pids;
  (void)list_numbers("/proc", pids);
  const auto first = read_stat(second);
  const auto last = read_stat(warden);
  if (!first || !last) return 0;
  const auto found = std::find_if(pids.begin(), pids.end(), [&](pid_t pid) {
    const auto stat = read_stat(pid);
    std::string name;
    std::getline(std::ifstream("/proc/" + std::to_string(pid) + "/comm"), name);
    const bool between =
        second < warden ? pid > second && pid < warden : pid > second || pid < warden;
    return stat && stat->alive() && name == "run-lookout" && between &&
           stat->start_time >= first->start_time && stat->start_time <= last->start_time;
  });
  return found == pids.end() ? 0 : *found;
}

}  // namespace gibbous::testing
