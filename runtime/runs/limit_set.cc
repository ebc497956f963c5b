#include "runtime/runs/limit_set.h"

#include <algorithm>

namespace gibbous {
namespace {

template <typename T>
T stricter(T first, T second) {
  if (first == T{}) return second;
  return second == T{} ? first : std::min(first, second);
}

}  // namespace

LimitSet strictest(const LimitSet& first, const LimitSet& second) {
  LimitSet both;
  both.tree.memory_bytes = stricter(first.tree.memory_bytes, second.tree.memory_bytes);
  both.tree.cpu_time = stricter(first.tree.cpu_time, second.tree.cpu_time);
  both.tree.cpu_share_millis = stricter(first.tree.cpu_share_millis, second.tree.cpu_share_millis);
  both.tree.pids = stricter(first.tree.pids, second.tree.pids);
  both.open_files = stricter(first.open_files, second.open_files);
  both.file_size_bytes = stricter(first.file_size_bytes, second.file_size_bytes);
  both.output_bytes = stricter(first.output_bytes, second.output_bytes);
  both.log_bytes = stricter(first.log_bytes, second.log_bytes);
  both.wall_time = stricter(first.wall_time, second.wall_time);
  both.idle_time = stricter(first.idle_time, second.idle_time);
  both.left_behind = stricter(first.left_behind, second.left_behind);
  return both;
}

}  // namespace gibbous
