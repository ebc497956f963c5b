// What the journal stores about a run besides its own columns, as JSON text. Pure, except that it
// reads /proc.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runtime/runs/run.h"

namespace gibbous::host {

// RunRecord::meta_json: {label, cwd, argv, tool, mode, pid, pid_started, mark, signal, limit,
// sandbox}, without empty members. pid_started comes from /proc/PID/stat; mark is the value of
// RLIMIT_RTTIME that the processes inherit.
// Keeps the members of `before` that this does not set.
// `fired`: the run's one-time watchers that have had their match.
std::string describe_run(const Run& run, const std::string& mode, const std::string& before,
                         const std::vector<std::size_t>& fired);
// The meta of a `state` item: {pid, reason, exit_code, signal, limit}.
std::string describe_state(const Run& run);

}  // namespace gibbous::host
