// The meta_json of a run. Each member is optional, and a member of the wrong type counts as
// missing. Pure, any thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "bindings/host/redaction.h"
#include "runtime/journal/record.h"
#include "runtime/process/mark.h"
#include "runtime/process/terminal.h"

namespace gibbous::inspect {

struct RunFacts {
  std::string label;        // redacted, like cwd
  std::string given_label;  // as it was given: to find the run by, not to show
  std::string cwd;
  std::string tool;
  std::string signal;
  std::string limit;
  std::string sandbox;
  std::string mode;
  pid_t pid = 0;
  std::uint64_t pid_started = 0;  // as in /proc/PID/stat; 0: unknown
  std::optional<Mark> mark;
  std::optional<std::uint64_t> peak_rss_bytes;
  std::optional<std::int64_t> cpu_ms;
  TerminalSize size_at_start{0, 0};  // of its terminal; 0: unknown, or none
  TerminalSize size_now{0, 0};
  Redaction redaction;  // of the run's text
};

// {"rows":24,"cols":80}; zeros for anything else.
TerminalSize size_of(const Json& terminal);

RunFacts facts_of(const RunRecord& run);
// For many runs: `redactions` has the patterns that are compiled already.
RunFacts facts_of(const RunRecord& run, Redactions& redactions);
bool has_ended(const RunRecord& run);
// Returns when the run was queued or, without a queue, started, in Unix milliseconds.
std::int64_t beginning_of(const RunRecord& run);
// Returns how long the run has run; 0 before it starts. `now`: Unix milliseconds.
std::int64_t runtime_of(const RunRecord& run, std::int64_t now);

}  // namespace gibbous::inspect
