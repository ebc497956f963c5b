// The TCP ports that processes listen on: a part of usage.h. Any thread.
#pragma once

#include <span>
#include <vector>

#include "runtime/process/usage.h"
#include "runtime/process/waiting.h"

namespace gibbous {

// Returns unique ports, sorted by port, address and pid; at most kMaxUsagePorts.
std::vector<ListeningPort> read_listening_ports(std::span<const LivingProcess> processes);

}  // namespace gibbous
