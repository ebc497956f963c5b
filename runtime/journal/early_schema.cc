#include "runtime/journal/early_schema.h"

#include <string>

namespace gibbous {
namespace {

struct Column {
  const char* table;
  const char* name;
  const char* definition;
};

constexpr Column kMissing[] = {
    {"exec_runs", "from_queue", "INTEGER NOT NULL DEFAULT 0"},
    {"exec_runs", "request_id", "TEXT"},
    {"exec_runs", "priority", "INTEGER NOT NULL DEFAULT 0"},
    {"exec_runs", "max_attempts", "INTEGER NOT NULL DEFAULT 0"},
    {"run_segments", "sum_before", "INTEGER"},
    {"run_segments", "sum", "INTEGER"},
};

// Messages had no owner: those of a dead process, which the next one takes over.
constexpr const char* kOwnMessages = R"(
CREATE TABLE early_messages AS
SELECT session_id, seq, run_id, event, payload, created_at, for_agent FROM backlog_messages;
DROP TABLE backlog_messages;
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
INSERT INTO backlog_messages
SELECT session_id, '', seq, run_id, event, payload, created_at, for_agent FROM early_messages;
DROP TABLE early_messages;
)";

// A run that is queued came from the queue, also where the column did not say so.
constexpr const char* kRest = R"(
CREATE INDEX IF NOT EXISTS exec_runs_request ON exec_runs (client, request_id)
  WHERE request_id IS NOT NULL;
UPDATE exec_runs SET from_queue = 1 WHERE status = 'queued' AND from_queue = 0;
)";

}  // namespace

bool has_column(Database& database, const char* table, const char* column) {
  const std::string sql = std::string("SELECT ") + column + " FROM " + table;
  return database.prepare(sql.c_str()).status().code() != "journal_failed";
}

Status complete_tables(Database& database) {
  for (const Column& column : kMissing) {
    if (has_column(database, column.table, column.name)) continue;
    const std::string sql = std::string("ALTER TABLE ") + column.table + " ADD COLUMN " +
                            column.name + " " + column.definition;
    if (Status status = database.execute(sql.c_str()); !status) return status;
  }
  if (!has_column(database, "backlog_messages", "owner")) {
    if (Status status = database.execute(kOwnMessages); !status) return status;
  }
  return database.execute(kRest);
}

}  // namespace gibbous
