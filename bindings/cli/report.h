// What a sub-command says when it cannot start. Used by every run_ function; main thread.
#pragma once

#include "bindings/cli/exit_code.h"
#include "bindings/cli/options.h"
#include "gibbous/runtime.h"
#include "gibbous/status.h"

namespace gibbous::cli {

// Tells people on stderr and, where JSON is spoken, programs on stdout. Returns what to exit with.
ExitCode fail(const Status& status, const Options& options);

// A runtime with a broken policy runs and denies everything: says so on stderr.
void warn_of_policy(const Runtime& runtime);

}  // namespace gibbous::cli
