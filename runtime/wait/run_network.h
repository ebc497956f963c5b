// The networks that a run has for itself: network namespaces of its processes other than this
// program's, as a sandbox with `network = 'loopback'`, bubblewrap or `unshare -n` makes them. What
// listens there is out of reach, but the kernel lists it. Loop thread only.
#pragma once

#include <sys/types.h>

#include <optional>

#include "runtime/process/usage.h"

namespace gibbous {

// Whether a process of the tree below `leader`, or `leader` itself, has a network of its own.
bool has_own_network(pid_t leader);
// Whether the keeper of `leader` forwards the port of this machine's loopback to a network that
// runs share, so that what listens there can be reached.
bool is_forwarded(pid_t leader, int port);
// Returns the listener on `port` in such a network. Takes several milliseconds for each network.
std::optional<ListeningPort> find_in_own_network(pid_t leader, int port);

}  // namespace gibbous
