#include "runtime/process/tree_limits.h"

namespace gibbous {

const char* to_string(LimitMeans means) {
  switch (means) {
    case LimitMeans::kNone:
      return "none";
    case LimitMeans::kCgroup2:
      return "cgroup2";
    case LimitMeans::kCgroup1:
      return "cgroup1";
    case LimitMeans::kPolling:
      return "polling";
  }
  return "none";
}

const char* to_string(LimitKind kind) {
  switch (kind) {
    case LimitKind::kMemory:
      return "memory";
    case LimitKind::kCpuTime:
      return "cpu_time";
    case LimitKind::kPids:
      return "pids";
    case LimitKind::kFileSize:
      return "file_size";
    case LimitKind::kOutput:
      return "output";
    case LimitKind::kIdle:
      return "idle";
    case LimitKind::kCopies:
      return "copies";
  }
  return "memory";
}

}  // namespace gibbous
