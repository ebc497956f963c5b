// The ports that an executor's engine chose for a run (docs/executors.md). Used by run.start. Loop
// thread only.
#pragma once

#include <functional>

#include "runtime/runs/runs.h"

namespace gibbous::lua {

struct Context;

// Asks the executor of a running run when its plan says that ports are known only then, and stores
// them in the run. on_known comes once, at once when there is nothing to ask, but not after the
// runtime shuts down.
void learn_ports(Context& context, Run& run, std::function<void()> on_known);

}  // namespace gibbous::lua
