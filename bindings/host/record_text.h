// What the journal stores about a run besides its own columns, as JSON text. Pure, except that it
// reads /proc.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "gibbous/runtime.h"
#include "runtime/journal/record.h"
#include "runtime/queue/left_behind.h"
#include "runtime/runs/run.h"

namespace gibbous::lua {
class PolicyProgram;
}

namespace gibbous::host {

class PolicyRedactor;

struct RunPlace {
  std::string mode;
  const lua::PolicyProgram* policy = nullptr;  // null: there is none any more
};

// RunRecord::meta_json: {label, cwd, argv, tool, mode, pid, pid_started, keeper, mark, signal,
// limit, sandbox, redact, terminal}, without empty members. pid_started comes from /proc/PID/stat;
// keeper is the number of the keeper, and mark the value of RLIMIT_RTTIME that the processes
// inherit; bindings/lua/policy/redaction_record.h is about redact; terminal has the rows and cols
// at the start, and `now`. The items of the run have each change: of type `terminal`, with {rows,
// cols} as their meta.
// Keeps the members of `before` that this does not set.
// `fired`: the run's one-time watchers that have had their match.
std::string describe_run(const Run& run, const RunPlace& place, const std::string& before,
                         const std::vector<std::size_t>& fired);
// Reads who the run's processes are from its meta_json.
RunProcesses processes_of(const RunRecord& run);
// The meta of a `state` item: {pid, reason, exit_code, signal, limit}. The reason is redacted.
std::string describe_state(const Run& run, const PolicyRedactor& redactor);
// One short line: why this process leaves a queued run, which its policy refused in `mode`, to
// other processes. RunRecord::error_message while the run stays queued.
std::string describe_refusal(const CallResult& refusal, const std::string& mode);

}  // namespace gibbous::host
