// Finds sessions.db and checks whether its directory can be trusted. Any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "gibbous/status.h"
#include "runtime/journal/database.h"
#include "runtime/journal/worker_record.h"

namespace gibbous {

inline constexpr const char* kJournalName = "sessions.db";

std::string journal_path(const std::string& directory);
bool journal_exists(const std::string& directory);

// Checks that only this user can write to the directory, and that the file and SQLite's files next
// to it are regular files of this user and not links. With `make`, missing ones are created (0700,
// 0600). Fails with state_dir_missing, state_dir_unusable, journal_missing or journal_unusable. It
// opens no descriptor of an existing file: closing one would drop the locks that SQLite holds on it
// in this process.
Status check_place(const std::string& directory, bool make);

struct WritingOptions {
  Millis busy_timeout{5'000};
  bool wal = true;           // false: a rollback journal
  WorkerAlive worker_alive;  // of workers in a file of an older version; null: their leases decide
  std::int64_t now = 0;      // Unix milliseconds, for leases
};

// Runs check_place, then opens the file for writing, at this version's schema. An older file is
// migrated when no other process uses it, and fails with journal_older until then (migration.h). On
// file systems that do not share memory between processes, the file has a rollback journal, too.
Result<std::unique_ptr<Database>> open_for_writing(const std::string& directory,
                                                   const WritingOptions& options);
// Runs check_place, then opens a file of this version's schema for reading, also where nothing can
// be written. Fails with journal_older, which says what brings the file up to date, and with
// journal_newer.
Result<std::unique_ptr<Database>> open_for_reading(const std::string& directory,
                                                   Millis busy_timeout);

}  // namespace gibbous
