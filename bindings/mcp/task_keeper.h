// TaskKeeper: records tasks in the journal and looks for those of earlier processes, on a thread of
// its own that may wait for the disk. Answers come back through the runtime's loop. What the
// journal does not take is tried again later, and meanwhile it is read. A disk that takes nothing
// holds the thread, and only that: what waits for it is bounded, and what is more is not kept.
// Owned by RuntimeBackend. Loop thread only.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "gibbous/tasks.h"

namespace gibbous::mcp {

class TaskKeeper {
 public:
  static constexpr std::size_t kMaxWaitingBytes = std::size_t{4} << 20;
  static constexpr std::size_t kMaxWaitingLookups = 256;

  // `post` calls what it is given on the loop thread, later; any thread may call it while this
  // lives. `state_dir`: "" keeps nothing.
  TaskKeeper(std::string state_dir, std::function<void(std::function<void()>)> post);
  // Waits for nothing: call finish() first.
  ~TaskKeeper();
  TaskKeeper(const TaskKeeper&) = delete;
  TaskKeeper& operator=(const TaskKeeper&) = delete;

  void keep(TaskRecord task);
  // on_done comes later, as gibbous::find_task() answers, or with the error `busy`.
  void find(std::string id, std::function<void(Result<std::optional<TaskRecord>>)> on_done);
  // Writes what waits, at most for so long.
  void finish(std::chrono::milliseconds patience);

 private:
  struct Shared;
  void begin();

  std::shared_ptr<Shared> shared_;
  bool began_ = false;
};

}  // namespace gibbous::mcp
