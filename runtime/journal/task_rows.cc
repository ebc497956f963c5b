// See task_rows.h.
#include "runtime/journal/task_rows.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "runtime/base/state_file.h"
#include "runtime/journal/place.h"
#include "runtime/journal/record.h"
#include "runtime/journal/schema.h"

namespace gibbous {
namespace {

Status write_task(Database& database, const RecordedTask& task) {
  Result<Statement> put = database.prepare(
      "INSERT INTO tasks (task_id, owner, host, tool, arguments, status, message, outcome,"
      " began_at, created_at, updated_at, finished_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
      " ON CONFLICT (task_id) DO UPDATE SET owner = excluded.owner, host = excluded.host,"
      " arguments = excluded.arguments, status = excluded.status, message = excluded.message,"
      " outcome = excluded.outcome, updated_at = excluded.updated_at,"
      " finished_at = excluded.finished_at");
  if (!put) return put.status();
  return put
      ->with(task.task_id, task.owner, task.host, task.tool, task.arguments, task.status,
             task.message, task.outcome, task.began_at, task.created_at, task.updated_at,
             NullWhenZero{task.finished_at})
      .run();
}

Status drop_old_tasks(Database& database, std::int64_t now) {
  const std::string before = std::to_string(now - kMaxTaskAge.count());
  const std::string most = std::to_string(kMaxRecordedTasks);
  return database.execute(("DELETE FROM tasks WHERE finished_at < " + before +
                           "; DELETE FROM tasks WHERE id IN (SELECT id FROM tasks ORDER BY "
                           "finished_at IS NULL DESC, id DESC LIMIT -1 OFFSET " +
                           most + ")")
                              .c_str());
}

bool fits(const RecordedTask& task) {
  const std::size_t bytes = task.owner.size() + task.host.size() + task.tool.size() +
                            task.arguments.size() + task.message.size() + task.outcome.size();
  return !task.task_id.empty() && task.task_id.size() <= kMaxJournalIdBytes &&
         bytes <= kMaxJournalTextBytes;
}

}  // namespace

Status keep_task_rows(const std::string& directory, const std::vector<RecordedTask>& tasks,
                      std::int64_t now, Millis busy_timeout) {
  const bool all_fit = std::all_of(tasks.begin(), tasks.end(), fits);
  const WithoutSizeSignal guard;
  Result<std::unique_ptr<Database>> database = open_for_writing(directory, {busy_timeout});
  if (!database) return database.status();
  Status status = begin_writing(**database);
  for (const RecordedTask& task : tasks) {
    if (status && fits(task)) status = write_task(**database, task);
  }
  if (status) status = drop_old_tasks(**database, now);
  if (status) status = (*database)->execute("COMMIT");
  if (!status && (*database)->in_transaction()) (void)(*database)->execute("ROLLBACK");
  if (status && !all_fit) {
    return Status::error("invalid_argument", "the task is too long for the journal");
  }
  return status;
}

Result<std::optional<RecordedTask>> find_task_row(const std::string& directory,
                                                  std::string_view task_id, Millis busy_timeout) {
  Result<std::unique_ptr<Database>> database = open_for_reading(directory, busy_timeout);
  if (!database) {
    const std::string& code = database.status().code();
    if (code == "state_dir_missing" || code == "journal_missing") {
      return std::optional<RecordedTask>();
    }
    return database.status();
  }
  Result<Statement> row = (*database)->prepare(
      "SELECT task_id, owner, host, tool, arguments, status, message, outcome, began_at,"
      " created_at, updated_at, ifnull(finished_at, 0) FROM tasks WHERE task_id = ?");
  if (!row) return row.status();
  const Result<bool> found = row->with(task_id).step();
  if (!found) return found.status();
  if (!*found) return std::optional<RecordedTask>();
  RecordedTask task;
  int column = 0;
  for (std::string* text : {&task.task_id, &task.owner, &task.host, &task.tool, &task.arguments,
                            &task.status, &task.message, &task.outcome}) {
    *text = row->text(column++);
  }
  for (std::int64_t* time :
       {&task.began_at, &task.created_at, &task.updated_at, &task.finished_at}) {
    *time = row->integer(column++);
  }
  return std::optional<RecordedTask>(std::move(task));
}

}  // namespace gibbous
