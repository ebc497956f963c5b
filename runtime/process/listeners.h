// The TCP sockets that listen in a network namespace: a part of usage.h. Any thread.
#pragma once

#include <netinet/in.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "runtime/process/usage.h"

namespace gibbous {

inline constexpr std::size_t kMaxListeners = 4096;

// By inode; the owners are not known.
using ListeningSockets = std::unordered_map<ino_t, ListeningPort>;

// Appends those of this process's namespace, by netlink: about 0.1 ms. False if the kernel does not
// answer. Of UDP: all sockets.
bool append_own_listeners(ListeningSockets& listeners, std::uint8_t protocol = IPPROTO_TCP);

// Appends those of any process's namespace, from /proc/PID/net/tcp and tcp6: several milliseconds
// on a machine with much memory, because the kernel walks its whole table of connections.
void append_listeners_of(pid_t pid, ListeningSockets& listeners);

}  // namespace gibbous
