#include "runtime/process/pid_space.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "runtime/process/proc.h"

namespace gibbous {

std::string pid_space() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  char name[64];
  const ssize_t size = ::readlink("/proc/self/ns/pid", name, sizeof name);
  return boot + " " + std::string(name, static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
}

bool is_process_alive(std::int64_t pid, std::int64_t start_time) {
  if (pid <= 0) return false;
  const auto stat = read_stat(static_cast<pid_t>(pid));
  return stat && stat->alive() && static_cast<std::int64_t>(stat->start_time) == start_time;
}

}  // namespace gibbous
