// Describes a run for people: its command line, and why it ended. Pure.
#pragma once

#include <string>
#include <vector>

#include "runtime/base/clock.h"
#include "runtime/keeper/outcome.h"
#include "runtime/runs/run.h"

namespace gibbous {

// Returns argv quoted for a shell.
std::string quote_argv(const std::vector<std::string>& argv);
// Returns "exit code 1" or "killed by SIGSEGV (core dumped)".
std::string describe_exit(const ExitStatus& status);
// Returns completed, failed or killed, for an end that this process did not request: a foreign stop
// signal means killed, a fault of its own means failed.
RunState state_of_exit(const ExitStatus& status);
// Returns a text such as "memory: 33.6 MB used, the limit is 32.0 MB".
std::string describe_limit(const LimitReached& reached);

std::string format_seconds(Millis duration);

// Returns the last line, where a program asks and waits: of stdout, else of stderr; for a terminal
// the row of its cursor. "" if that line is empty.
std::string prompt_of(const Run& run);

}  // namespace gibbous
