// See gibbous/tasks.h.
#include "gibbous/tasks.h"

#include <utility>

#include "bindings/host/places.h"
#include "runtime/base/clock.h"
#include "runtime/journal/task_rows.h"
#include "runtime/process/pid_space.h"

namespace gibbous {
namespace {

constexpr Millis kJournalWait{5'000};

}  // namespace

Status keep_task(const std::string& state_dir, const TaskRecord& task) {
  const RecordedTask row{.task_id = task.id,
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
  return keep_task_row(host::state_directory(state_dir), row, SystemClock().wall().count(),
                       kJournalWait);
}

Result<std::optional<TaskRecord>> find_task(const std::string& state_dir, std::string_view id) {
  Result<std::optional<RecordedTask>> row =
      find_task_row(host::state_directory(state_dir), id, kJournalWait);
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
