// The TCP ports that processes listen on: a part of usage.h. Any thread.
#pragma once

#include <sys/types.h>

#include <map>
#include <span>
#include <vector>

#include "runtime/process/listeners.h"
#include "runtime/process/usage.h"
#include "runtime/process/waiting.h"

namespace gibbous {

// The sockets that a process has open, by inode.
std::vector<ino_t> sockets_of(pid_t pid);

// Keeps the sockets of each network namespace that it has seen. Not for several threads at once.
class ListeningPorts {
 public:
  ListeningPorts();
  // Returns unique ports, sorted by port, address and pid; at most kMaxUsagePorts.
  std::vector<ListeningPort> read(std::span<const LivingProcess> processes);

 private:
  // Returns the sockets of each namespace of these processes that has any.
  std::vector<const ListeningSockets*> listeners_of(std::span<const LivingProcess> processes);

  ino_t own_space_ = 0;  // of this process's network; 0: not known
  std::map<ino_t, ListeningSockets> by_namespace_;
};

}  // namespace gibbous
