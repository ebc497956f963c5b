// The forwarder: a process that makes what listens in a shared network reachable on this machine's
// loopback, at the same port where it is free, and in that network ports of this machine: those
// that are named, and those on which the session's runs listen. It looks at what listens ten times
// a second at first, and twice a second later. Keeper only.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/base/unique_fd.h"
#include "runtime/network/own_listeners.h"
#include "runtime/network/place.h"

namespace gibbous::network {

// It ends with the caller, or when it is killed.
struct ForwarderProcess {
  pid_t pid = 0;  // 0: there is none
  UniqueFd asks;
};

// Launches it. `host_ports`: those of this machine that may be reached, whatever program listens.
// `is_own`: see Agent::start_thread.
ForwarderProcess start_forwarder(const Place& place, const std::vector<std::uint16_t>& host_ports,
                                 IsOwn is_own);
// The program's argument that makes a forwarder of it, and what that then is, with the arguments
// after it. Returns the exit status.
inline constexpr const char* kForwardArgument = "--forward";
int forward(std::span<char* const> arguments);
// Has it look at once, and waits until what it has found can be reached, or for a moment.
void look(const ForwarderProcess& process);

}  // namespace gibbous::network
