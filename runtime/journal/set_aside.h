// Checks a journal, and moves one aside that is damaged or that an older program wrote: whole,
// under another name, while its writers wait. They then go on in a new file; readers must be opened
// again. All of these wait for the disk; any thread, any process, also beside a writer.
//
// A newer file is refused. An older one stays where it is while runs in it are queued or go on, or
// the older program has it open, which the locks of WAL mode show. Processes of this version take
// turns by a lock file.
#pragma once

#include <string>

#include "gibbous/status.h"
#include "runtime/base/clock.h"

namespace gibbous {

// Reads the whole file: seconds for a gigabyte. Returns ok when the file is sound. Fails with
// journal_corrupt and the first damage found, with journal_cut, with state_dir_missing or
// journal_missing, or as a reader does.
Status check_journal(const std::string& directory);

// Sets a file aside in which check_journal() finds damage, and puts that into `damage`. Returns the
// path of the old file, whose log is next to it, or "" for one that is sound. Fails with
// journal_busy (a writer does not release its lock, or another process sets the file aside),
// journal_unusable, or as check_journal(); the file is then where it was.
Result<std::string> set_damaged_aside(const std::string& directory, Status* damage);

// Sets a file of an older version aside, and returns its path; "" when the file is no such one any
// more. Fails with journal_older while runs in it are queued or go on, or another process has it
// open, with journal_busy, or as the database does.
Result<std::string> set_older_aside(const std::string& directory, Millis busy_timeout);

}  // namespace gibbous
