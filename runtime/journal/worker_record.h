// What the queue of the journal holds besides runs, as plain data: the workers that share it,
// requests between processes, and the usage of runs. Times are Unix milliseconds, 0 for "not yet".
// Any thread.
//
// A worker is dead when its process is: a lease alone would take runs from a process that was only
// stopped or starved. The lease counts for workers whose processes cannot be looked up here; one of
// this machine before its last boot is dead at once. It holds for its length on either side of the
// heartbeat, so that a clock that was set back keeps no dead worker alive; clocks of several hosts
// must agree within a lease.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "runtime/journal/record.h"

namespace gibbous {

// One life of a process (or of a runtime in it) that executes runs: the id is never used again.
struct WorkerRecord {
  std::string worker_id;         // 1 to kMaxJournalIdBytes bytes
  std::int64_t pid = 0;          // 0: it has left runs behind
  std::int64_t pid_started = 0;  // as /proc/PID/stat gives it
  // Equal for two workers only when each can see the other's process: pid_space().
  std::string boot_id;
  std::int64_t keeper_pid = 0;
  std::int64_t keeper_started = 0;
  std::int64_t started_at = 0;    // 0: now
  std::int64_t heartbeat_at = 0;  // 0: now
  std::int64_t lease_until = 0;
  bool takes_over = true;  // what dead workers left; only such workers watch others
};

// Returns whether the process of a worker is alive; nothing when that cannot be seen from here, and
// its lease decides.
using WorkerAlive = std::function<std::optional<bool>(const WorkerRecord&)>;

// Decides whether a worker that cannot be seen from here counts as alive. The lease holds for its
// length on either side of the heartbeat, so that a clock that was set back does not make a dead
// worker immortal. For workers that can be seen, the lease means nothing: a worker that was stopped
// or starved cannot renew it, and yet continues its runs as soon as it can.
bool lease_holds(const WorkerRecord& worker, std::int64_t now);

struct Heartbeat {
  std::int64_t lease_until = 0;
  std::int64_t keeper_pid = 0;
  std::int64_t keeper_started = 0;
};

// A run whose owner is dead. `was` is the worker that started it, whose keeper may still hold it;
// when the journal has forgotten that worker, only its id is set.
struct Orphan {
  RunRecord run;
  WorkerRecord was;
};

struct RunRequest {
  std::int64_t id = 0;  // assigned by the journal, rising
  std::string run_id;
  std::string kind;      // "kill"
  std::string argument;  // of a kill: the signal's name without SIG; "" is the usual escalation
  std::int64_t created_at = 0;
  std::int64_t answered_at = 0;
  std::string answer;
};

// A kill request. A run that was still queued is killed by the request itself.
struct KillRequest {
  std::int64_t id = 0;
  bool killed = false;
};
inline constexpr std::size_t kMaxSignalBytes = 16;
// "TERM", "RTMIN+1", or "" for the usual escalation.
bool is_signal_word(std::string_view word);

struct UsageSample {
  std::int64_t at = 0;  // 0: now
  std::int64_t rss_bytes = 0;
  std::int64_t cpu_ms = 0;  // since the run's start
  std::int64_t processes = 0;
};
// Samples of a run are kept this long, counted back from the newest one.
inline constexpr std::int64_t kUsageWindowMs = std::int64_t{24} * 60 * 60 * 1'000;

}  // namespace gibbous
