// The tables of sessions.db, by version. Internal; the thread of the Database.
#pragma once

#include <cstdint>
#include <span>

#include "gibbous/status.h"
#include "runtime/journal/database.h"

namespace gibbous {

inline constexpr std::int64_t kJournalApplicationId = 0x47424253;  // "GBBS"
inline constexpr int kSeqBits = 32;

// One step from a version to the next: the statements, then what depends on the file's own form.
struct Migration {
  const char* sql;
  Status (*complete)(Database& database) = nullptr;
};

// Version N of the file is the result of the first N of these.
std::span<const Migration> journal_migrations();

// Call it before anything else on a new file: it makes the settings that SQLite accepts only then,
// WAL and how it syncs. Without `wal`, or where SQLite finds that WAL does not work, the file has a
// rollback journal: then readers and the writer wait for each other.
Status prepare_file(Database& database, bool wal = true);
// Brings the file up to `migrations`, in one transaction. Fails with journal_newer, with
// journal_foreign (another program's tables), or as the database does.
Status migrate(Database& database, std::span<const Migration> migrations);
// For readers: checks that the file has exactly this version.
Status check_version(Database& database);

// The key of a segment: items of one run are stored together, in order.
constexpr std::int64_t segment_id(std::int64_t run_number, std::uint64_t first_seq) {
  return run_number << kSeqBits | static_cast<std::int64_t>(first_seq);
}
constexpr std::uint64_t seq_of_segment(std::int64_t id) {
  return static_cast<std::uint64_t>(id) & ((std::uint64_t{1} << kSeqBits) - 1);
}

}  // namespace gibbous
