// Describes a run for people: its command line, and why it ended. Pure.
#pragma once

#include <string>
#include <vector>

#include "runtime/base/clock.h"
#include "runtime/keeper/client.h"
#include "runtime/runs/run.h"

namespace gibbous {

// argv as a shell would need it typed.
std::string quote_argv(const std::vector<std::string>& argv);
// "exit code 1", "killed by SIGSEGV (core dumped)".
std::string describe_exit(const ExitStatus& status);
// Returns completed, failed or killed, for an end that this process did not request: a stop signal
// from outside killed it, a fault of its own made it fail.
RunState state_of_exit(const ExitStatus& status);
// "3.2s"
// "memory: 33.6 MB used, the limit is 32.0 MB"
std::string describe_limit(const LimitReached& reached);

std::string format_seconds(Millis duration);

}  // namespace gibbous
