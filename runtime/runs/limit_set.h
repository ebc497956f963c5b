// LimitSet: all limits of a run, and how two sets combine. Scripts, the configuration and policies
// choose them; the keeper, the kernel and Runs enforce them together. Any thread.
#pragma once

#include <cstdint>

#include "runtime/base/clock.h"
#include "runtime/process/tree_limits.h"

namespace gibbous {

// A field that is 0 limits nothing.
struct LimitSet {
  TreeLimits tree;                    // memory, processor time and share, pids
  std::uint64_t open_files = 0;       // descriptors of each process
  std::uint64_t file_size_bytes = 0;  // of each file that it writes
  std::uint64_t output_bytes = 0;     // both streams together
  std::uint64_t log_bytes = 0;        // all files of its log together
  Millis wall_time{0};                // ends as a time limit does
  Millis idle_time{0};                // without a byte of output
  Millis left_behind{0};              // of the processes that live on after its end
};

// Returns the stricter value of each field.
LimitSet strictest(const LimitSet& first, const LimitSet& second);

}  // namespace gibbous
