// What a keeper left that was killed together with its host and its warden. The journal's record of
// a run says which processes were its: the leader by pid and start time, all others by the mark,
// whose keeper the record names. It is used only when that keeper, and the worker that had it, are
// known to be gone: never the mark alone. Blocks for some milliseconds, and up to a second where
// there is much to end; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/process/proc.h"

namespace gibbous {

// Identifies the processes of a run.
struct RunProcesses {
  ProcessIdentity leader;    // pid 0: unknown
  std::uint32_t keeper = 0;  // its number in marks; 0: unknown
};

// What was left of the runs of one keeper.
struct LeftBehind {
  std::size_t ended = 0;
  std::vector<pid_t> alive;  // with another user's rights: no signal reaches them
};

// Ends them all, as far as this user may.
LeftBehind end_left_behind(std::uint32_t keeper, const std::vector<ProcessIdentity>& leaders);

}  // namespace gibbous
