// Removes the old file's names in an order in which stopping halfway does no harm: the log goes
// first, because SQLite would replay it into another file of that name.
#include "runtime/journal/journal_repair.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "runtime/base/file_system.h"
#include "runtime/base/random_id.h"
#include "runtime/base/state_file.h"
#include "runtime/journal/commit_mark.h"
#include "runtime/journal/database.h"
#include "runtime/journal/holder.h"
#include "runtime/journal/migration.h"
#include "runtime/journal/place.h"
#include "runtime/journal/salvage.h"
#include "runtime/journal/schema.h"
#include "runtime/journal/segment_check.h"

namespace gibbous {
namespace {

constexpr const char* kRepairLock = "sessions.repair.lock";
constexpr Millis kRepairBusyTimeout{10'000};

Status failed(const std::string& path, const std::string& what) {
  return Status::error("journal_unusable", path + ": " + what + ": " + std::strerror(errno));
}

void remove_file(const std::string& path) {
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) ::unlink((path + suffix).c_str());
}

// Creates an empty journal at `path`, which no other process has seen yet.
Result<std::unique_ptr<Database>> make_new(const std::string& path) {
  {
    const UniqueFd made(
        ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, kStateFileMode));
    if (!made) return failed(path, "cannot be made");
  }
  Result<std::unique_ptr<Database>> database =
      Database::open(path, Database::Mode::kWrite, kRepairBusyTimeout);
  Status status = database.status();
  if (status) status = prepare_file(**database, file_system_of(path).shares_memory);
  if (status) status = migrate(**database, journal_migrations());
  if (!status) return status;
  return database;
}

bool is_damage(const Status& status) {
  return status.code() == "journal_corrupt";
}

// The new file would be too new for a program that works with the old one.
Status check_users(Database& database, const std::string& directory) {
  const Result<std::int64_t> version = journal_version(database);
  if (!version || *version == kJournalVersion) return version.status();
  if (users_of_journal(directory).empty()) return {};
  return older_in_use(directory, *version, "");
}

// Opens the old file and keeps every other writer out; null when it is too damaged even for that.
Result<std::unique_ptr<Database>> hold_old(const std::string& directory) {
  const std::string path = journal_path(directory);
  Result<std::unique_ptr<Database>> database =
      Database::open(path, Database::Mode::kWrite, kRepairBusyTimeout);
  if (!database) {
    if (is_damage(database.status())) return std::unique_ptr<Database>();
    return database;
  }
  (*database)->keep_log();
  Status status = (*database)->execute("BEGIN IMMEDIATE");
  if (status) status = check_users(**database, directory);
  if (status) return database;
  if (is_damage(status)) return std::unique_ptr<Database>();
  return status;
}

Status move_aside(const std::string& path, const std::string& to) {
  for (const char* suffix : {"-wal", ""}) {
    if (::rename((path + suffix).c_str(), (to + suffix).c_str()) != 0 && errno != ENOENT) {
      return failed(path + suffix, "cannot be moved aside");
    }
  }
  ::unlink((path + "-shm").c_str());
  return {};
}

}  // namespace

Status check_journal(const std::string& directory) {
  // Read before the file, which others may be writing.
  const auto mark = CommitMarkFile::open(directory, false).read();
  Result<std::unique_ptr<Database>> database = open_for_reading(directory, kRepairBusyTimeout);
  if (!database) return database.status();
  Result<Statement> check = (*database)->prepare("PRAGMA integrity_check(1)");
  if (!check) return check.status();
  const Result<bool> row = check->step();
  if (!row) return row.status();
  if (*row && check->bytes(0) != "ok") return corrupt_error((*database)->path(), check->text(0));
  check->reset();
  if (mark) {
    if (Status status = compare_with_mark(**database, *mark); !status) return status;
  }
  return check_segments(**database);
}

Result<RepairReport> repair_journal(const std::string& directory) {
  if (Status status = check_place(directory, false); !status) return status;
  const Result<UniqueFd> held = open_state_directory(directory, false);
  if (!held) return held.status();
  const Result<StateLock> lock = StateLock::take(*held, kRepairLock, 1);
  if (!lock) return Status::error("journal_busy", lock.status().message());
  const WithoutSizeSignal guard;
  const std::string path = journal_path(directory);
  const std::string id = random_id();
  const std::string new_path = path + ".new-" + id;
  RepairReport report;
  report.kept_as = path + ".set-aside-" + id;

  Result<std::unique_ptr<Database>> old = hold_old(directory);
  if (!old) return old.status();
  Result<std::unique_ptr<Database>> made = make_new(new_path);
  Status status = made.status();
  if (status && *old == nullptr) report.holes = 1;
  if (status && *old != nullptr) status = salvage(**old, **made, &report);
  const CommitMarkFile mark_file = CommitMarkFile::open(directory, true);
  const auto mark = mark_file.read();
  if (status && mark) status = note_missing_items(**made, *mark);
  if (status && *old != nullptr) status = fill_holes(**made, &report);
  // Moves everything into the file itself, so that it can be renamed alone.
  if (status) status = (*made)->execute("PRAGMA wal_checkpoint(TRUNCATE)");
  if (made) made->reset();
  if (status) status = move_aside(path, report.kept_as);
  if (status && ::rename(new_path.c_str(), path.c_str()) != 0) {
    status = failed(path, "the new file cannot take its place");
  }
  if (!status) {
    remove_file(new_path);
    return status;
  }
  mark_file.clear();
  (void)::fsync(held->get());
  // A process that waited for the old file's lock now finds that the file has lost its name.
  old->reset();
  return report;
}

}  // namespace gibbous
