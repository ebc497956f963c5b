// Reports that a sub-command cannot start. Used by every run_ function; main thread.
#pragma once

#include "bindings/cli/exit_code.h"
#include "bindings/cli/options.h"
#include "gibbous/runtime.h"
#include "gibbous/status.h"

namespace gibbous::cli {

// Prints the error on stderr and, with JSON output, also on stdout. Returns the exit code.
ExitCode fail(const Status& status, const Options& options);

// Warns on stderr when the policy is broken; the runtime then denies every call.
void warn_of_policy(const Runtime& runtime);

}  // namespace gibbous::cli
