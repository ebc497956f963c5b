// Where a run's ports are found from here: those of a run that is executed elsewhere are reached by
// others of this machine. Loop thread only.
#pragma once

#include "runtime/wait/wait.h"

namespace gibbous {

// Makes conditions about ports of such runs conditions about the ports that lead to them.
void reach(Runs& runs, WaitSpec* spec);

}  // namespace gibbous
