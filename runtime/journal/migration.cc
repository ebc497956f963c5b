// A connection that has chosen the exclusive mode before it first reads gets the file only when no
// other connection has it open. Older programs are not asked: they keep working, and this one tries
// again.
#include "runtime/journal/migration.h"

#include <unistd.h>

#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <thread>

#include "runtime/base/state_file.h"
#include "runtime/journal/holder.h"
#include "runtime/journal/schema.h"

namespace gibbous {
namespace {

constexpr const char* kMigrationLock = "sessions.migration.lock";
constexpr Millis kWaitForReaders{500};  // that look at the file, and go
constexpr Millis kBetweenTries{10};

std::string versions(std::int64_t version) {
  return "it has version " + std::to_string(version) + ", and this program works with version " +
         std::to_string(kJournalVersion);
}

// Living workers, apart from this process.
struct Living {
  std::set<long> here;
  bool elsewhere = false;  // in another container, or on another machine

  void add(const WorkerRecord& worker, const WritingOptions& options) {
    const std::optional<bool> seen =
        options.worker_alive ? options.worker_alive(worker) : std::nullopt;
    if (!seen) {
      elsewhere = elsewhere || lease_holds(worker, options.now);
    } else if (*seen && worker.pid != ::getpid()) {
      here.insert(worker.pid);
    }
  }
  std::string names() const {
    const char* const far = "a process in another container or on another machine";
    if (!elsewhere) return names_of_processes(here);
    return here.empty() ? far : names_of_processes(here) + ", and " + far;
  }
};

// Fails with journal_busy while another connection is open.
Status try_alone(const std::string& directory, const WritingOptions& options) {
  const Result<std::unique_ptr<Database>> opened =
      Database::open(journal_path(directory), Database::Mode::kWrite, Millis{0});
  if (!opened) return opened.status();
  Database& database = **opened;
  Status status = database.execute("PRAGMA locking_mode=EXCLUSIVE; PRAGMA synchronous=FULL");
  if (status) status = database.execute("BEGIN EXCLUSIVE");
  if (!status) return status;
  const Result<std::int64_t> version = journal_version(database);
  status = version.status();
  if (status && *version < kJournalVersion) {
    const Result<std::string> workers = living_workers(database, options);
    status = !workers           ? workers.status()
             : workers->empty() ? run_migrations(database, journal_migrations(), *version)
                                : older_in_use(directory, *version, *workers);
  }
  if (status) status = database.execute("COMMIT");
  if (!status && database.in_transaction()) (void)database.execute("ROLLBACK");
  return status;
}

// Only processes of this version take the lock, so that they do not keep the file from each other.
Result<StateLock> take_turn(const std::string& directory, Millis patience) {
  const Result<UniqueFd> held = open_state_directory(directory, false);
  if (!held) return held.status();
  Result<StateLock> lock =
      StateLock::take(*held, kMigrationLock, static_cast<int>(patience.count()) + 1);
  if (lock || lock.status().code() != "state_busy") return lock;
  return Status::error("journal_busy", journal_path(directory) +
                                           ": another process brings it to a new version; Gibbous "
                                           "tries again");
}

}  // namespace

Status older_in_use(const std::string& directory, std::int64_t version,
                    const std::string& workers) {
  std::string names = workers.empty() ? names_of_processes(users_of_journal(directory)) : workers;
  if (names.empty()) names = "another process";
  return Status::error("journal_older", journal_path(directory) + ": " + versions(version) +
                                            "; it is brought up to date when the older program "
                                            "that uses it has ended: " +
                                            names);
}

Status older_for_reader(const std::string& directory, std::int64_t version) {
  const std::string names = names_of_processes(users_of_journal(directory));
  return Status::error("journal_older",
                       journal_path(directory) + ": " + versions(version) +
                           (names.empty() ? "; the next session of this program (gibbous session, "
                                            "mcp or call) brings it up to date"
                                          : "; it is brought up to date by the next session of "
                                            "this program when the older one that uses it has "
                                            "ended: " +
                                                names));
}

Result<std::string> living_workers(Database& database, const WritingOptions& options) {
  const Result<std::int64_t> tables =
      database.number("SELECT count(*) FROM sqlite_schema WHERE name = 'workers'");
  if (!tables || *tables == 0) return tables ? Result<std::string>("") : tables.status();
  Result<Statement> rows = database.prepare(
      "SELECT worker_id, pid, pid_started, boot_id, heartbeat_at, lease_until FROM workers"
      " WHERE pid <> 0");
  if (!rows) return rows.status();
  Living living;
  for (;;) {
    const Result<bool> row = rows->step();
    if (!row) return row.status();
    if (!*row) return living.names();
    WorkerRecord worker;
    worker.worker_id = rows->text(0);
    worker.pid = rows->integer(1);
    worker.pid_started = rows->integer(2);
    worker.boot_id = rows->text(3);
    worker.heartbeat_at = rows->integer(4);
    worker.lease_until = rows->integer(5);
    living.add(worker, options);
  }
}

Status migrate_alone(const std::string& directory, std::int64_t version,
                     const WritingOptions& options) {
  using Clock = std::chrono::steady_clock;
  const Result<StateLock> turn = take_turn(directory, options.busy_timeout);
  if (!turn) return turn.status();
  const auto end = Clock::now() + kWaitForReaders;
  for (;;) {
    Status status = try_alone(directory, options);
    if (status.code() != "journal_busy") return status;
    if (Clock::now() >= end) return older_in_use(directory, version, "");
    std::this_thread::sleep_for(kBetweenTries);
  }
}

}  // namespace gibbous
