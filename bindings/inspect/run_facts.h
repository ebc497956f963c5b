// The meta_json of a run. Each member is optional, and a member of the wrong type counts as
// missing. Pure, any thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "runtime/journal/record.h"
#include "runtime/process/mark.h"

namespace gibbous::inspect {

struct RunFacts {
  std::string label;
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
};

RunFacts facts_of(const RunRecord& run);
bool has_ended(const RunRecord& run);
// When it was queued or, without a queue, started. Unix milliseconds.
std::int64_t beginning_of(const RunRecord& run);
// How long it has run; 0 before it starts. `now`: Unix milliseconds.
std::int64_t runtime_of(const RunRecord& run, std::int64_t now);

}  // namespace gibbous::inspect
