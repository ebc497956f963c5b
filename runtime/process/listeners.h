// The TCP sockets that listen in a network namespace: a part of usage.h. Any thread.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <unordered_map>

#include "runtime/process/usage.h"

namespace gibbous {

inline constexpr std::size_t kMaxListeners = 4096;

struct ListeningSocket {
  ListeningPort port;
  bool owned = false;  // for code that looks for the owners
};
using ListeningSockets = std::unordered_map<ino_t, ListeningSocket>;

// Of this process's namespace, by netlink: about 0.1 ms. False where the kernel has no such answer.
bool append_own_listeners(ListeningSockets& listeners);

// Of any process's namespace, by /proc/PID/net/tcp and tcp6: several milliseconds on a machine with
// much memory, as the kernel walks its table of all connections, too.
void append_listeners_of(pid_t pid, ListeningSockets& listeners);

}  // namespace gibbous
