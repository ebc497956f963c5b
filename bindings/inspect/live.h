// Reports the current state of running runs: resource use, listening ports, whether they wait for
// input, and whether they still exist. Finds their processes in /proc by their marks, whichever
// process hosts them. Each call reads the limits of every process of the machine once. One thread
// at a time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bindings/inspect/run_facts.h"
#include "runtime/journal/journal_reader.h"
#include "runtime/process/usage.h"

namespace gibbous::inspect {

enum class Presence : std::uint8_t {
  kUnknown,  // not started, or without a recorded mark and process
  kThere,
  kGone,  // the journal says "running", but no process is left: the host was killed
};

struct LiveRun {
  RunRecord record;
  RunFacts facts;
  Presence presence = Presence::kUnknown;
  TreeUsage usage;  // set for kThere

  bool waits_for_input() const { return usage.waiting_pid != 0; }
};

// Returns them in the order of `records`. Does not look for runs that have ended.
std::vector<LiveRun> look_at(std::vector<RunRecord> records);

// The runs that have not ended, newest first. A run that ends meanwhile is returned as ended.
Result<std::vector<LiveRun>> live_runs(JournalReader& reader, const std::string& session);

// Returns true when the host of the run is alive. The lease decides for a host on another machine.
bool host_lives(JournalReader& reader, const RunRecord& run);

// "running", "running, waits for input", "running? (host gone)", "queued", or "queued (why)" for a
// run that waits in its host or that the last host left in the queue.
std::string state_text(const LiveRun& run);

}  // namespace gibbous::inspect
