// Nothing of an earlier version is read: such a file is set aside (set_aside.h). The first release
// migrates again, by numbered SQL that is never changed once it is released.
#include "runtime/journal/schema.h"

#include <chrono>
#include <string>
#include <thread>

namespace gibbous {
namespace {

// exec_runs and the view exec_run_items are what the toolset `shell` documents.
//
// exec_runs: `client` is the session of the caller, `session_id` the queue inside it, which the
// caller names, and `workspace` the directory in which its host works. `started_by` is the worker
// whose keeper holds the run; a worker that takes over a dead worker's run becomes its `owner`. The
// caller of a start may give it a `request_id`, so that a repeated call is the same run. Of a
// queue, the run with the highest `priority` comes first; one whose end is unknown is executed
// `max_attempts` times at most. A session executes its queued runs one after another; runs that
// were started directly (`from_queue` 0) do not count. `redacted` says whether the text of a run
// that has ended is redacted (ended_rows.h), `stdout_to` and `stderr_to` how far its output is
// recorded (RunRecord). exec_runs_open has runs that have ended and may still get items from their
// owner.
//
// run_segments keeps items: `items` is a JSON array with [type, milliseconds after created_at,
// offset in data, bytes of payload, bytes of meta] for each, and `data` holds the payloads and
// metas one after another. `sum` is the segment_sum(), and `sum_before` that of the segment before
// it in its run when it was written. run_tails is the end of an output that has reached its limit,
// while its run goes on: a worker that takes the run over makes items of it.
//
// backlog_messages: `for_agent` says whether a message is for the agent, or only for the program
// that hosts it. workers: those that take over what dead workers left (`takes_over`) watch the
// others. host_calls: tools that a host carries out itself. tasks: calls that front ends answered
// with a handle (task_rows.h); `host` is the process that has it, or had it last.
constexpr const char* kTables = R"(
CREATE TABLE exec_runs (
  number INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL UNIQUE,
  session_id TEXT NOT NULL,
  status TEXT NOT NULL,
  command TEXT NOT NULL,
  background INTEGER NOT NULL DEFAULT 1,
  pty INTEGER NOT NULL DEFAULT 0,
  timeout_secs INTEGER NOT NULL DEFAULT 0,
  max_output_bytes INTEGER NOT NULL DEFAULT 0,
  watch_json TEXT,
  exit_code INTEGER,
  output_bytes INTEGER NOT NULL DEFAULT 0,
  truncated INTEGER NOT NULL DEFAULT 0,
  error_message TEXT,
  queued_at INTEGER NOT NULL,
  started_at INTEGER,
  finished_at INTEGER,
  updated_at INTEGER NOT NULL,
  stored_bytes INTEGER NOT NULL DEFAULT 0,
  not_kept_items INTEGER NOT NULL DEFAULT 0,
  last_seq INTEGER NOT NULL DEFAULT 0,
  meta_json TEXT,
  owner TEXT,
  started_by TEXT,
  attempt INTEGER NOT NULL DEFAULT 1,
  safe_to_repeat INTEGER NOT NULL DEFAULT 0,
  from_queue INTEGER NOT NULL DEFAULT 0,
  client TEXT NOT NULL DEFAULT '',
  workspace TEXT NOT NULL DEFAULT '',
  request_id TEXT,
  priority INTEGER NOT NULL DEFAULT 0,
  max_attempts INTEGER NOT NULL DEFAULT 0,
  redacted INTEGER NOT NULL DEFAULT 0,
  stdout_to INTEGER NOT NULL DEFAULT 0,
  stderr_to INTEGER NOT NULL DEFAULT 0);
CREATE INDEX exec_runs_session ON exec_runs (session_id, number);
CREATE INDEX exec_runs_client ON exec_runs (client, number);
CREATE INDEX exec_runs_request ON exec_runs (client, request_id) WHERE request_id IS NOT NULL;
CREATE INDEX exec_runs_queued ON exec_runs (workspace, client, session_id, number)
  WHERE status = 'queued';
CREATE INDEX exec_runs_going ON exec_runs (workspace, client, session_id, number)
  WHERE status IN ('starting', 'running');
CREATE INDEX exec_runs_finished ON exec_runs (finished_at) WHERE finished_at IS NOT NULL;
CREATE INDEX exec_runs_whole ON exec_runs (finished_at)
  WHERE finished_at IS NOT NULL AND redacted = 0;
CREATE INDEX exec_runs_open ON exec_runs (owner)
  WHERE finished_at IS NULL AND status NOT IN ('queued', 'starting', 'running');
CREATE TABLE run_segments (
  id INTEGER PRIMARY KEY,
  created_at INTEGER NOT NULL,
  items TEXT NOT NULL,
  data BLOB NOT NULL,
  sum_before INTEGER NOT NULL,
  sum INTEGER NOT NULL);
CREATE VIEW exec_run_items AS
SELECT
  (segment.id & 4294967295) + each.key AS seq,
  run.run_id AS run_id,
  CASE json_extract(each.value, '$[0]') WHEN 0 THEN 'stdout' WHEN 1 THEN 'stderr'
    WHEN 2 THEN 'terminal' WHEN 3 THEN 'event' WHEN 4 THEN 'state' ELSE 'note' END AS item_type,
  CAST(substr(segment.data, json_extract(each.value, '$[2]') + 1,
    json_extract(each.value, '$[3]')) AS TEXT) AS payload,
  nullif(CAST(substr(segment.data,
    json_extract(each.value, '$[2]') + json_extract(each.value, '$[3]') + 1,
    json_extract(each.value, '$[4]')) AS TEXT), '') AS meta_json,
  segment.created_at + json_extract(each.value, '$[1]') AS created_at
FROM exec_runs AS run
JOIN run_segments AS segment
  ON segment.id >= run.number << 32 AND segment.id < (run.number + 1) << 32
JOIN json_each(segment.items) AS each;
CREATE TABLE backlog_messages (
  session_id TEXT NOT NULL,
  owner TEXT NOT NULL,
  seq INTEGER NOT NULL,
  run_id TEXT NOT NULL,
  event TEXT NOT NULL,
  payload TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  for_agent INTEGER NOT NULL DEFAULT 1,
  PRIMARY KEY (session_id, owner, seq)) WITHOUT ROWID;
CREATE TABLE run_tails (
  number INTEGER PRIMARY KEY,
  created_at INTEGER NOT NULL,
  items TEXT NOT NULL,
  data BLOB NOT NULL,
  stdout_to INTEGER NOT NULL DEFAULT 0,
  stderr_to INTEGER NOT NULL DEFAULT 0);
CREATE TABLE decisions (
  id INTEGER PRIMARY KEY,
  created_at INTEGER NOT NULL,
  session_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  generation INTEGER NOT NULL,
  decision TEXT NOT NULL,
  rule TEXT NOT NULL,
  record_json TEXT NOT NULL);
CREATE TABLE workers (
  worker_id TEXT PRIMARY KEY,
  pid INTEGER NOT NULL,
  pid_started INTEGER NOT NULL,
  boot_id TEXT NOT NULL,
  keeper_pid INTEGER NOT NULL,
  keeper_started INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  heartbeat_at INTEGER NOT NULL,
  lease_until INTEGER NOT NULL,
  takes_over INTEGER NOT NULL DEFAULT 1) WITHOUT ROWID;
CREATE INDEX workers_watch ON workers (boot_id, worker_id);
CREATE TABLE run_requests (
  id INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  argument TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  answered_at INTEGER,
  answer TEXT);
CREATE INDEX run_requests_run ON run_requests (run_id);
CREATE INDEX run_requests_open ON run_requests (id) WHERE answered_at IS NULL;
CREATE TABLE run_usage (
  number INTEGER NOT NULL,
  at INTEGER NOT NULL,
  rss_bytes INTEGER NOT NULL,
  cpu_ms INTEGER NOT NULL,
  processes INTEGER NOT NULL,
  PRIMARY KEY (number, at)) WITHOUT ROWID;
CREATE TABLE host_calls (
  id INTEGER PRIMARY KEY,
  call_id TEXT NOT NULL UNIQUE,
  session_id TEXT NOT NULL,
  workspace TEXT NOT NULL,
  tool TEXT NOT NULL,
  outcome TEXT NOT NULL,
  pid INTEGER NOT NULL,
  pid_started INTEGER NOT NULL,
  pid_space TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  finished_at INTEGER);
CREATE INDEX host_calls_going ON host_calls (id) WHERE finished_at IS NULL;
CREATE TABLE tasks (
  id INTEGER PRIMARY KEY,
  task_id TEXT NOT NULL UNIQUE,
  owner TEXT NOT NULL,
  host TEXT NOT NULL,
  tool TEXT NOT NULL,
  arguments TEXT NOT NULL,
  status TEXT NOT NULL,
  message TEXT NOT NULL,
  outcome TEXT NOT NULL,
  began_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  finished_at INTEGER);
CREATE INDEX tasks_finished ON tasks (finished_at) WHERE finished_at IS NOT NULL;
)";

std::string versions(const std::string& path, std::int64_t version) {
  return path + ": it has version " + std::to_string(version) +
         ", and this program works with version " + std::to_string(kJournalVersion);
}

Status newer(const Database& database, std::int64_t version) {
  return Status::error("journal_newer",
                       versions(database.path(), version) +
                           ": a newer program wrote it. Use that one, or another state directory "
                           "(--state)");
}

Status foreign(const Database& database) {
  return Status::error("journal_foreign", database.path() +
                                              ": another program's database; move it away, or use "
                                              "another state directory");
}

// Even where this changes nothing, SQLite takes the lock for writing, which may be held for long.
Status prepare_pages(Database& database) {
  constexpr std::int64_t kIncremental = 2;
  const Result<std::int64_t> vacuum = database.number("PRAGMA auto_vacuum");
  if (!vacuum || *vacuum == kIncremental) return vacuum.status();
  const Result<std::int64_t> pages = database.number("PRAGMA page_count");
  if (!pages) return pages.status();
  // A rollback journal on the disk would cost six syncs more, and there is nothing to roll back.
  Status status = *pages == 0 ? database.execute("PRAGMA journal_mode=MEMORY") : Status();
  if (status) status = database.execute("PRAGMA page_size=4096; PRAGMA auto_vacuum=INCREMENTAL");
  return status;
}

Status prepare_once(Database& database, bool wal) {
  Status status = prepare_pages(database);
  const char* const mode = wal ? "PRAGMA journal_mode=WAL" : "PRAGMA journal_mode=DELETE";
  if (status) status = database.execute(mode);
  if (!status) return status;
  return database.execute(
      "PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=2000; PRAGMA secure_delete=ON;"
      "PRAGMA journal_size_limit=67108864");
}

}  // namespace

Status journal_older(const std::string& path, std::int64_t version, const std::string& what_to_do) {
  return Status::error("journal_older", versions(path, version) + what_to_do);
}

Result<std::int64_t> journal_version(Database& database) {
  const Result<std::int64_t> version = database.number("PRAGMA user_version");
  if (!version) return version;
  const Result<std::int64_t> application = database.number("PRAGMA application_id");
  if (!application) return application;
  if (*application == kJournalApplicationId) {
    if (*version <= kJournalVersion) return version;
    database.keep_log();
    return newer(database, *version);
  }
  // Looked at last, because a newer program's tables may be beyond this one's SQLite.
  const Result<std::int64_t> tables = database.number("SELECT count(*) FROM sqlite_schema");
  if (!tables) return tables;
  if (*tables == 0 && *version == 0) return version;
  // Another process may have made it between two of these looks.
  const Result<std::int64_t> again = database.number("PRAGMA application_id");
  if (!again) return again;
  if (*again == kJournalApplicationId) return journal_version(database);
  return foreign(database);
}

Status prepare_file(Database& database, bool wal) {
  // Where several processes make the file at the same time, the change to WAL finds it busy at
  // once, without waiting for its turn.
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::seconds(2);
  for (;;) {
    Status status = prepare_once(database, wal);
    if (status || status.code() != "journal_busy" || Clock::now() >= end) return status;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

Status make_tables(Database& database) {
  // A file of this version needs no lock, which another process may hold for long.
  const Result<std::int64_t> now = journal_version(database);
  if (!now || *now == kJournalVersion) return now.status();
  // Look again under the lock, because another process may be making them, too.
  if (Status status = database.execute("BEGIN IMMEDIATE"); !status) return status;
  const Result<std::int64_t> version = journal_version(database);
  Status status = version.status();
  if (status && *version != 0 && *version != kJournalVersion) {
    status = Status::error("journal_busy", database.path() +
                                               ": an older program has just made it; Gibbous tries "
                                               "again");
  }
  if (status && *version == 0) {
    const std::string mark = "PRAGMA application_id=" + std::to_string(kJournalApplicationId) +
                             "; PRAGMA user_version=" + std::to_string(kJournalVersion);
    status = database.execute(kTables);
    if (status) status = database.execute(mark.c_str());
  }
  // All in one transaction, because each commit waits for the disk.
  if (status) status = database.execute("COMMIT");
  if (!status && database.in_transaction()) (void)database.execute("ROLLBACK");
  return status;
}

Status check_version(Database& database) {
  const Result<std::int64_t> version = journal_version(database);
  if (!version || *version == kJournalVersion) return version.status();
  return journal_older(database.path(), *version, "");
}

Status begin_writing(Database& database) {
  if (Status status = database.execute("BEGIN IMMEDIATE"); !status) return status;
  Status status = check_version(database);
  if (!status) (void)database.execute("ROLLBACK");
  return status;
}

}  // namespace gibbous
