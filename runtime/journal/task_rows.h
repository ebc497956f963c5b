// The tasks in the journal: calls that front ends answered with a handle (tasks of MCP), and what
// became of them. Each function uses one short connection, without a Journal. Any thread; waits for
// the disk and for busy writers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gibbous/status.h"
#include "runtime/base/clock.h"

namespace gibbous {

// A row of the table `tasks`. Times are Unix milliseconds.
struct RecordedTask {
  std::string task_id;
  std::string owner;
  std::string host;  // process_tag() of the one that has it, or had it last
  std::string tool;
  std::string arguments;
  std::string status;  // "" while it goes on
  std::string message;
  std::string outcome;
  std::int64_t began_at = 0;
  std::int64_t created_at = 0;
  std::int64_t updated_at = 0;
  std::int64_t finished_at = 0;  // 0: it goes on
};

// Rows beyond these go: first those of tasks that are over, and of each kind those that were
// written first.
inline constexpr std::size_t kMaxRecordedTasks = 2'000;
inline constexpr Millis kMaxTaskAge = std::chrono::hours(24);

// Writes the rows of the tasks, each in place of an earlier one. `directory` is the state
// directory, and `now` Unix milliseconds. Fails with invalid_argument when a text is too long for
// the journal, after the other rows were written, and as opening it for writing does; then nothing
// was written.
Status keep_task_rows(const std::string& directory, const std::vector<RecordedTask>& tasks,
                      std::int64_t now, Millis busy_timeout);
// Returns nothing when there is no such task, or no journal.
Result<std::optional<RecordedTask>> find_task_row(const std::string& directory,
                                                  std::string_view task_id, Millis busy_timeout);

}  // namespace gibbous
