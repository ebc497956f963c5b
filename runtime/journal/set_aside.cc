// The file's names are moved in an order in which stopping halfway does no harm: the log goes
// first, because SQLite would replay it into another file of that name.
#include "runtime/journal/set_aside.h"

#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <set>
#include <utility>

#include "runtime/base/random_id.h"
#include "runtime/base/state_file.h"
#include "runtime/journal/commit_mark.h"
#include "runtime/journal/database.h"
#include "runtime/journal/holder.h"
#include "runtime/journal/place.h"
#include "runtime/journal/schema.h"
#include "runtime/journal/segment_rows.h"

namespace gibbous {
namespace {

constexpr const char* kLock = "sessions.aside.lock";
constexpr Millis kBusyTimeout{10'000};
constexpr std::size_t kMaxNamedRuns = 5;

// Keeps every other process of this version from setting the file aside at the same time.
class Turn {
 public:
  static Result<Turn> take(const std::string& directory, Millis patience) {
    if (Status status = check_place(directory, false); !status) return status;
    Result<UniqueFd> held = open_state_directory(directory, false);
    if (!held) return held.status();
    Result<StateLock> lock = StateLock::take(*held, kLock, static_cast<int>(patience.count()) + 1);
    if (lock) return Turn(directory, std::move(*held), std::move(*lock));
    if (lock.status().code() != "state_busy") return lock.status();
    return Status::error("journal_busy",
                         journal_path(directory) + ": another process sets it aside; try again");
  }

  // Call it while a transaction keeps the writers out.
  Result<std::string> move_aside() const {
    const std::string path = journal_path(directory_);
    const std::string aside = path + ".set-aside-" + random_id();
    for (const char* suffix : {"-wal", "-journal", ""}) {
      if (std::rename((path + suffix).c_str(), (aside + suffix).c_str()) != 0 && errno != ENOENT) {
        return Status::error("journal_unusable",
                             path + suffix + ": cannot be moved aside: " + std::strerror(errno));
      }
    }
    ::unlink((path + "-shm").c_str());
    CommitMarkFile::open(directory_, true).clear();
    (void)::fsync(held_.get());
    return aside;
  }

 private:
  Turn(std::string directory, UniqueFd held, StateLock lock)
      : directory_(std::move(directory)), held_(std::move(held)), lock_(std::move(lock)) {}

  std::string directory_;
  UniqueFd held_;
  StateLock lock_;
};

// Keeps every writer out until it is destroyed. A process that waited for the lock finds that the
// file has lost its name (Database::is_current).
Result<std::unique_ptr<Database>> hold(const std::string& directory, Millis busy_timeout) {
  Result<std::unique_ptr<Database>> database =
      Database::open(journal_path(directory), Database::Mode::kWrite, busy_timeout);
  if (!database) return database;
  (*database)->keep_log();
  if (Status status = (*database)->execute("BEGIN IMMEDIATE"); !status) return status;
  return database;
}

// Names the runs that are queued or go on; "" when there is none.
Result<std::string> unfinished_runs(Database& database) {
  Result<Statement> runs = database.prepare(
      "SELECT run_id FROM exec_runs WHERE status IN ('queued', 'starting', 'running')");
  if (!runs) return runs.status();
  std::string names;
  for (std::size_t count = 0;; ++count) {
    const Result<bool> row = runs->step();
    if (!row) return row.status();
    if (!*row) return names;
    if (count == kMaxNamedRuns) return names + " and others";
    names += (names.empty() ? "" : ", ") + runs->text(0);
  }
}

// Fails with journal_older when the file is still needed.
Status check_unneeded(Database& database, const std::string& directory, std::int64_t version) {
  const Result<std::string> runs = unfinished_runs(database);
  if (!runs) return runs.status();
  if (!runs->empty()) {
    return journal_older(database.path(), version,
                         "; runs in it are queued or go on (" + *runs +
                             "): wait for them or kill them with the older program, or move the "
                             "file away");
  }
  const std::set<long> users = users_of_journal(directory);
  if (users.empty()) return {};
  return journal_older(database.path(), version,
                       "; it is set aside when the older program that uses it has ended: " +
                           names_of_processes(users));
}

}  // namespace

Status check_journal(const std::string& directory) {
  // Read before the file, which others may be writing.
  const auto mark = CommitMarkFile::open(directory, false).read();
  Result<std::unique_ptr<Database>> database = open_for_reading(directory, kBusyTimeout);
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

Result<std::string> set_damaged_aside(const std::string& directory, Status* damage) {
  const Result<Turn> turn = Turn::take(directory, Millis{0});
  if (!turn) return turn.status();
  *damage = check_journal(directory);
  if (*damage) return std::string();
  if (damage->code() != "journal_corrupt") return *damage;
  const WithoutSizeSignal guard;
  // A file may be too damaged to be locked; then there is nothing to write into it either.
  const Result<std::unique_ptr<Database>> held = hold(directory, kBusyTimeout);
  if (!held && held.status().code() != "journal_corrupt") return held.status();
  return turn->move_aside();
}

Result<std::string> set_older_aside(const std::string& directory, Millis busy_timeout) {
  const Result<Turn> turn = Turn::take(directory, busy_timeout);
  // Another process may just have set it aside, and made no new one yet.
  if (turn.status().code() == "journal_missing" || !journal_exists(directory)) return std::string();
  if (!turn) return turn.status();
  const Result<std::unique_ptr<Database>> held = hold(directory, busy_timeout);
  if (!held) return held.status();
  const Result<std::int64_t> version = journal_version(**held);
  if (!version) return version.status();
  if (*version == 0 || *version == kJournalVersion) return std::string();
  if (Status status = check_unneeded(**held, directory, *version); !status) return status;
  return turn->move_aside();
}

}  // namespace gibbous
