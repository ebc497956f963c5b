// HostWatch: notices a host that is dead in all but name. A thread that waits for a file system
// which does not answer cannot be killed, and until it comes back neither the host's pidfd nor its
// socket tells of the end. While such file systems are mounted and runs live, the keeper looks
// whether SIGKILL is pending for the host, or whether it hangs in its end; a host that is stopped
// or debugged, or is busy, is not gone. Keeper only.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>

#include "runtime/base/unique_fd.h"
#include "runtime/keeper/kill_job.h"
#include "runtime/paths/mount_types.h"

namespace gibbous::keeper {

class HostWatch {
 public:
  explicit HostWatch(std::shared_ptr<paths::MountTypes> mounts);

  // Reports a change of the mounts as EPOLLPRI; -1: there is none to watch.
  int descriptor() const { return changes_.get(); }
  // The mounts have changed, or a run has started.
  void arm(Time now);
  // Returns true when the host of this pidfd is gone. Looks only when it is due.
  bool look(int host, bool has_runs, Time now);
  Time due() const { return due_; }

 private:
  std::shared_ptr<paths::MountTypes> mounts_;
  UniqueFd changes_;
  Time due_ = Time::max();
};

}  // namespace gibbous::keeper
