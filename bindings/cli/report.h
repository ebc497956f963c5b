// Reports that a sub-command cannot start. Used by every run_ function; main thread.
#pragma once

#include <string>

#include "bindings/cli/exit_code.h"
#include "bindings/cli/options.h"
#include "gibbous/runtime.h"
#include "gibbous/status.h"

namespace gibbous::cli {

// Prints the error on stderr and, with JSON output, also on stdout. Returns the exit code.
ExitCode fail(const Status& status, const Options& options);

// Text that a model or a project wrote, made printable on one line.
std::string shown_text(const std::string& text);

// Warns on stderr when the policy is broken; the runtime then denies every call.
void warn_of_policy(const Runtime& runtime);

// After hand_over(): says on stderr what a file system that does not answer may have lost.
void tell_end_problem(const Runtime& runtime);

// Ends the process now. Its ends of pipes close here: a thread that hangs at a file system holds
// the rest of the process until that answers.
[[noreturn]] void leave(ExitCode code);

}  // namespace gibbous::cli
