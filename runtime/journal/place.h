// Where sessions.db lies, and whether that place is to be trusted. Any thread.
#pragma once

#include <memory>
#include <string>

#include "gibbous/status.h"
#include "runtime/journal/database.h"

namespace gibbous {

inline constexpr const char* kJournalName = "sessions.db";

std::string journal_path(const std::string& directory);

// The directory is ours alone to write to, and neither the file nor what SQLite keeps beside it is
// a link, another user's, or anything but a file. With `make`, both are made when they are missing
// (0700, 0600). Fails with state_dir_missing, state_dir_unusable, journal_missing or
// journal_unusable. No descriptor of an existing file is opened here: closing it would drop the
// locks that SQLite holds on it in this process.
Status check_place(const std::string& directory, bool make);

// check_place, then the file ready for writing, at this version's schema.
Result<std::unique_ptr<Database>> open_for_writing(const std::string& directory,
                                                   Millis busy_timeout);

}  // namespace gibbous
