// reach: turns conditions about ports of a run that is executed elsewhere into conditions about the
// ports of this machine that lead there. Called before Waits::start for conditions from users, who
// name ports as the run sees them. Loop thread only.
#pragma once

#include "runtime/wait/wait.h"

namespace gibbous {

// Ports without a host, or on this machine, and http URLs of this machine; others, and those of
// runs that map no such port, stay as they are.
void reach(Runs& runs, WaitSpec* spec);

}  // namespace gibbous
