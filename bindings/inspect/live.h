// What running runs cost right now, where they listen, whether they wait for input, and whether
// they are there at all: looked up in /proc by their marks, whichever process their host is. One
// look reads the limits of every process of the machine once. One thread at a time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bindings/inspect/run_facts.h"
#include "runtime/journal/journal_reader.h"
#include "runtime/process/usage.h"

namespace gibbous::inspect {

enum class Presence : std::uint8_t {
  kUnknown,  // not started, or nothing is recorded by which it could be found
  kThere,
  kGone,  // the journal says that it runs, and none of its processes is left: its host is gone
};

struct LiveRun {
  RunRecord record;
  RunFacts facts;
  Presence presence = Presence::kUnknown;
  TreeUsage usage;  // for kThere

  bool waits_for_input() const { return usage.waiting_pid != 0; }
};

// In the order of `records`; those that have ended are not looked for.
std::vector<LiveRun> look_at(std::vector<RunRecord> records);

// The runs that have not ended, newest first. One that ended while they were looked for is as the
// journal has it then.
Result<std::vector<LiveRun>> live_runs(JournalReader& reader, const std::string& session);

// Whether the process that executes the run (or has it in its queue) is alive; of one on another
// machine its lease says so.
bool host_lives(JournalReader& reader, const RunRecord& run);

// The state as people read it: "running", "running, waits for input", "running? (host gone)",
// "queued (it waits for a place)".
std::string state_text(const LiveRun& run);

}  // namespace gibbous::inspect
