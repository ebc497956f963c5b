// The forwarder: a process that makes what listens in a shared network reachable on this machine's
// loopback, at the same port where it is free, and ports of this machine reachable in that network.
// It looks at what listens there ten times a second at first, and twice a second later. Keeper
// only.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

#include "runtime/network/place.h"

namespace gibbous::network {

// Forks it. It ends with the caller, or when it is killed. Returns 0 when there is no process for
// it. `host_ports`: those of this machine that may be reached.
pid_t start_forwarder(const Place& place, const std::vector<std::uint16_t>& host_ports);

}  // namespace gibbous::network
