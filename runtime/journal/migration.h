// Brings a journal of an older version to this one, once no other process uses it: the programs
// that wrote it know nothing of later tables. Internal; waits for the disk, and for other
// processes.
#pragma once

#include <cstdint>
#include <string>

#include "gibbous/status.h"
#include "runtime/journal/place.h"

namespace gibbous {

// Returns the error journal_older, which names the processes that use the file: those that /proc
// shows, and those in `workers`, as text.
Status older_in_use(const std::string& directory, std::int64_t version, const std::string& workers);

// Returns the error journal_older for a reader, which names those processes too.
Status older_for_reader(const std::string& directory, std::int64_t version);

// Names the living workers in the file's table, apart from this process; "" when there is none, or
// the version has no such table.
Result<std::string> living_workers(Database& database, const WritingOptions& options);

// Migrates the file, which has `version`, in one transaction, with every other process kept out;
// processes of this version that come meanwhile wait. Returns ok when another one has done it.
// Fails with journal_older while others use the file, with journal_busy, or as the database does;
// the file is then as it was.
Status migrate_alone(const std::string& directory, std::int64_t version,
                     const WritingOptions& options);

}  // namespace gibbous
