// reach: turns conditions about ports of a run that is executed elsewhere into conditions about the
// ports of this machine that lead there. Callers apply it before Waits::start to conditions from
// users, who name ports as the run sees them. Loop thread only.
#pragma once

#include "runtime/wait/wait.h"

namespace gibbous {

// Maps ports without a host or on this machine, and http URLs of this machine. Others, and those of
// runs that map no such port, stay unchanged.
void reach(Runs& runs, WaitSpec* spec);

}  // namespace gibbous
