// The tables of sessions.db, and the version of a file. Internal; the thread of the Database.
#pragma once

#include <cstdint>
#include <string>

#include "gibbous/status.h"
#include "runtime/journal/database.h"

namespace gibbous {

inline constexpr std::int64_t kJournalApplicationId = 0x47424253;  // "GBBS"
inline constexpr std::int64_t kJournalVersion = 11;  // of the file, as this program writes it
inline constexpr int kSeqBits = 32;

// Call it before anything else on a new file: it makes the settings that SQLite accepts only then,
// WAL and how it syncs. Without `wal`, or where SQLite finds that WAL does not work, the file has a
// rollback journal: then readers and the writer wait for each other.
Status prepare_file(Database& database, bool wal = true);
// Makes the tables in a file that has none, in one transaction. Fails with journal_newer, with
// journal_foreign (another program's tables), or as the database does.
Status make_tables(Database& database);

// Returns the version of the file, 0 for a new one. Fails with journal_newer or journal_foreign;
// then nothing in the file has been read but its header, and nothing is written.
Result<std::int64_t> journal_version(Database& database);
// Returns the error journal_older, which names both versions, then says `what_to_do`.
Status journal_older(const std::string& path, std::int64_t version, const std::string& what_to_do);
// Fails with journal_newer or journal_older, unless the file has this version.
Status check_version(Database& database);

// Begins a transaction that writes, after check_version() under its lock: another program may have
// changed the file since it was opened.
Status begin_writing(Database& database);

// The key of a segment: items of one run are stored together, in order.
constexpr std::int64_t segment_id(std::int64_t run_number, std::uint64_t first_seq) {
  return run_number << kSeqBits | static_cast<std::int64_t>(first_seq);
}
constexpr std::uint64_t seq_of_segment(std::int64_t id) {
  return static_cast<std::uint64_t>(id) & ((std::uint64_t{1} << kSeqBits) - 1);
}

}  // namespace gibbous
