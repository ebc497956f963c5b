// Finds the lookout of a host that is about to be killed with all that guards its runs.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "runtime/process/proc.h"

namespace gibbous::testing {

// Other tests start keepers at the same time, and nothing that others may read of a lookout names
// its host. So what this process starts inherits a soft limit that hardly any other process has.
inline bool set_own_limit() {
  constexpr rlim_t kUsual = 819'200;  // bytes of message queues, which nothing here uses
  rlimit limit{};
  if (::getrlimit(RLIMIT_MSGQUEUE, &limit) != 0) return false;
  const rlim_t most = std::min(limit.rlim_max, kUsual);
  limit.rlim_cur = most - static_cast<rlim_t>(::getpid()) % (most / 2 + 1);
  return ::setrlimit(RLIMIT_MSGQUEUE, &limit) == 0;
}
inline const bool kHasOwnLimit = set_own_limit();

inline std::string own_limit_of(pid_t pid) {
  std::ifstream limits("/proc/" + std::to_string(pid) + "/limits");
  for (std::string line; std::getline(limits, line);) {
    if (line.starts_with("Max msgqueue size")) return line;
  }
  return "";
}

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
           stat->start_time >= first->start_time && stat->start_time <= last->start_time &&
           kHasOwnLimit && own_limit_of(pid) == own_limit_of(second);
  });
  return found == pids.end() ? 0 : *found;
}

}  // namespace gibbous::testing
