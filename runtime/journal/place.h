// Finds sessions.db and checks whether its directory can be trusted. Any thread.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "gibbous/status.h"
#include "runtime/journal/database.h"

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
  bool wal = true;                             // false: a rollback journal
  std::function<void(const Status&)> on_lost;  // of the JournalOptions
};

// Runs check_place, then opens the file for writing, with the tables of this version. An older file
// is set aside (set_aside.h), which `on_lost` reports as journal_set_aside, or fails with
// journal_older. On file systems that do not share memory between processes, the file has a
// rollback journal, too.
Result<std::unique_ptr<Database>> open_for_writing(const std::string& directory,
                                                   const WritingOptions& options);
// Runs check_place, then opens a file of this version's schema for reading, also where nothing can
// be written. Fails with journal_older and journal_newer.
Result<std::unique_ptr<Database>> open_for_reading(const std::string& directory,
                                                   Millis busy_timeout);

}  // namespace gibbous
