// What the journal is told of a run besides its own columns, as JSON text. Pure but for /proc.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runtime/runs/run.h"

namespace gibbous::host {

// RunRecord::meta_json: {label, cwd, argv, tool, mode, pid, pid_started, mark, signal, limit,
// sandbox}, as far as there is something to say. pid_started is what /proc/PID/stat says, mark the
// value of RLIMIT_RTTIME that its processes inherit.
// What `before` holds and this does not say stays.
// `fired`: the run's watchers for once that have had their match.
std::string describe_run(const Run& run, const std::string& mode, const std::string& before,
                         const std::vector<std::size_t>& fired);
// The meta of a `state` item: {pid, reason, exit_code, signal, limit}.
std::string describe_state(const Run& run);

}  // namespace gibbous::host
