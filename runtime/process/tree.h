// The processes below a process, found by the kernel's own lists of children
// (/proc/PID/task/TID/children) or, where the kernel has none, by one scan of /proc. The keeper, a
// subreaper, uses it: a process that loses its parent becomes the keeper's own child, so its list
// of children shows exactly what is left. Not for several threads at once.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "runtime/base/unique_fd.h"

namespace gibbous {

class ProcessTree {
 public:
  enum class Source : std::uint8_t { kChildrenFiles, kScan };

  ProcessTree();  // the better source that works here
  explicit ProcessTree(Source source);

  // Returns the children of this process; with kScan, this also makes the one scan.
  const std::vector<pid_t>& own_children();
  // Returns the processes `roots` and everything below them, parents before their children, zombies
  // included. With kScan, as of the last own_children().
  std::vector<pid_t> with_descendants(const std::vector<pid_t>& roots);

 private:
  void append_children(pid_t pid, std::vector<pid_t>& children);
  void scan();

  Source source_;
  UniqueFd own_file_;
  std::vector<pid_t> own_;
  std::unordered_map<pid_t, std::vector<pid_t>> scanned_;
};

}  // namespace gibbous
