// TreeLimits: what the whole tree of a run may use, and the names of the limits. Plain data: a
// policy chooses it, the start message carries it, the keeper enforces it. Any thread.
#pragma once

#include <chrono>
#include <cstdint>

namespace gibbous {

// A field that is 0 limits nothing.
struct TreeLimits {
  std::uint64_t memory_bytes = 0;
  std::chrono::microseconds cpu_time{0};  // of all processes together
  std::uint32_t cpu_share_millis = 0;     // thousandths of one processor
  std::uint32_t pids = 0;                 // processes and threads at the same time

  bool any() const {
    return memory_bytes != 0 || cpu_time.count() != 0 || cpu_share_millis != 0 || pids != 0;
  }
};

// What enforces a limit.
enum class LimitMeans : std::uint8_t {
  kNone,     // it is not set
  kCgroup2,  // the kernel, control groups version 2
  kCgroup1,  // the kernel, control groups version 1
  kPolling,  // the keeper polls, and ends a run that exceeds it
};
const char* to_string(LimitMeans means);

struct LimitsInForce {
  LimitMeans memory = LimitMeans::kNone;
  LimitMeans cpu_time = LimitMeans::kNone;
  LimitMeans cpu_share = LimitMeans::kNone;
  LimitMeans pids = LimitMeans::kNone;
};

// A limit that ended a run. Lua and JSON use this word for the kind of end.
enum class LimitKind : std::uint8_t {
  kMemory,
  kCpuTime,
  kPids,
  kFileSize,
  kOutput,
  kIdle,
  kCopies,  // what it has changed in copies (SandboxSpec::copied)
};
const char* to_string(LimitKind kind);

// In bytes, microseconds or a count, depending on the kind.
struct LimitReached {
  LimitKind kind = LimitKind::kMemory;
  std::uint64_t limit = 0;
  std::uint64_t used = 0;
};

}  // namespace gibbous
