// See gibbous/tasks.h.
#include "gibbous/tasks.h"

#include <utility>

#include "bindings/host/places.h"
#include "runtime/base/clock.h"
#include "runtime/journal/task_rows.h"
#include "runtime/process/pid_space.h"

namespace gibbous {
namespace {

constexpr Millis kReadWait{5'000};
constexpr Millis kWriteWait{1'000};

RecordedTask row_of(const TaskRecord& task) {
  return RecordedTask{.task_id = task.id,
                      .owner = task.owner,
                      .host = process_tag(),
                      .tool = task.tool,
                      .arguments = task.arguments,
                      .status = task.status,
                      .message = task.message,
                      .outcome = task.outcome,
                      .began_at = task.began_at,
                      .created_at = task.created_at,
                      .updated_at = task.updated_at,
                      .finished_at = task.finished_at};
}

}  // namespace

Status keep_tasks(const std::string& state_dir, const std::vector<TaskRecord>& tasks) {
  std::vector<RecordedTask> rows;
  rows.reserve(tasks.size());
  for (const TaskRecord& task : tasks) rows.push_back(row_of(task));
  return keep_task_rows(host::state_directory(state_dir), rows, SystemClock().wall().count(),
                        kWriteWait);
}

Result<std::optional<TaskRecord>> find_task(const std::string& state_dir, std::string_view id) {
  Result<std::optional<RecordedTask>> row =
      find_task_row(host::state_directory(state_dir), id, kReadWait);
  if (!row) return row.status();
  if (!*row) return std::optional<TaskRecord>();
  RecordedTask& found = **row;
  return std::optional<TaskRecord>(
      TaskRecord{.id = std::move(found.task_id),
                 .owner = std::move(found.owner),
                 .tool = std::move(found.tool),
                 .arguments = std::move(found.arguments),
                 .status = std::move(found.status),
                 .message = std::move(found.message),
                 .outcome = std::move(found.outcome),
                 .began_at = found.began_at,
                 .created_at = found.created_at,
                 .updated_at = found.updated_at,
                 .finished_at = found.finished_at,
                 .host_lives = is_tagged_process_alive(found.host).value_or(true),
                 .is_own = found.host == process_tag()});
}

}  // namespace gibbous
