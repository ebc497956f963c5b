// Whether a listening socket belongs to a run. Port and http conditions about a run ask, because
// another program may have the port that the run wants. Loop thread only.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "runtime/process/mark.h"
#include "runtime/wait/sock_diag.h"

namespace gibbous {

class PortOwner {
 public:
  // `leader`: the run's first process, which lives. Its mark is remembered.
  explicit PortOwner(pid_t leader);

  // Returns the other program that has the socket: "nginx (pid 812)". Nothing when the run has it,
  // a forwarder that may work for it (docker-proxy), or when that cannot be found out. `owner`
  // becomes the process, 0 when it is not known.
  std::optional<std::string> other(const Listener& listener, pid_t* owner) const;

 private:
  bool is_of_run(pid_t pid) const;
  bool has_user(uid_t user) const;

  pid_t leader_;
  std::optional<Mark> mark_;
};

}  // namespace gibbous
