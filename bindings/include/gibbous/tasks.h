// The recorded tasks of this machine: calls that front ends answered with a handle, and what became
// of them, in the journal of a state directory. Used by front ends that keep tasks beyond their
// process. Any thread; each call opens the journal anew and waits for the disk, so a program with a
// loop calls them on a thread of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gibbous/status.h"

namespace gibbous {

// Texts are UTF-8, together at most 1 MiB.
struct TaskRecord {
  std::string id;         // 1 to 256 bytes
  std::string owner;      // the client that it belongs to, in the front end's terms
  std::string tool;       // that was called
  std::string arguments;  // of the call, where it may be made again; "": it may not
  std::string status;     // "" while it goes on; then the front end's word
  std::string message;
  std::string outcome;           // its result or its error, in the front end's terms
  std::int64_t began_at = 0;     // of the call; Unix milliseconds
  std::int64_t created_at = 0;   // Unix milliseconds
  std::int64_t updated_at = 0;   // Unix milliseconds
  std::int64_t finished_at = 0;  // Unix milliseconds; 0: it goes on
  // Set by find_task(): whether the process that recorded it lives, which may be this one; a
  // process that cannot be seen from here counts as living.
  bool host_lives = false;
  bool is_own = false;  // set by find_task(): this process recorded it
};

// Records tasks for this process, each in place of what was recorded of it; of several records of
// one task, the last one counts. Finished ones are kept for a day; at most 2,000 are kept, and of
// more the finished ones go first. Fails with invalid_argument when one of them is too long, and
// records the others; or, within about a second, as opening the journal does (journal_busy,
// journal_full, journal_newer, ...), and then nothing has changed. `state_dir` "" means the default
// one.
Status keep_tasks(const std::string& state_dir, const std::vector<TaskRecord>& tasks);

// Returns nothing when there is no such task. Fails as opening the journal does.
Result<std::optional<TaskRecord>> find_task(const std::string& state_dir, std::string_view id);

}  // namespace gibbous
