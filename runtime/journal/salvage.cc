// A scan ends where a page is damaged. So each table is read from both ends, and the range between
// is halved again and again, each half from both ends, until the tries are used up.
#include "runtime/journal/salvage.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "runtime/journal/early_schema.h"
#include "runtime/journal/segment.h"
#include "runtime/journal/segment_check.h"

namespace gibbous {
namespace {

constexpr int kMaxTries = 4'096;
constexpr int kColumnsWithoutSum = 4;  // of a segment

struct Table {
  std::string name;
  std::string key;  // an integer; "" when it has none, then it is read from the beginning only
  std::string columns;
  std::uint64_t RepairReport::*rows;
  std::string values = "";  // of the columns, in the old file
};

// A column that a later version added to a table.
struct Added {
  const char* table;
  const char* column;
  const char* otherwise = nullptr;  // its value in an old file without it; null: the default
};

constexpr const char* kRunColumns =
    "number, run_id, session_id, status, command, background, pty, timeout_secs, max_output_bytes,"
    " watch_json, exit_code, output_bytes, truncated, error_message, queued_at, started_at,"
    " finished_at, updated_at, stored_bytes, not_kept_items, last_seq, meta_json";
constexpr Added kAdded[] = {
    {"exec_runs", "owner"},
    {"exec_runs", "started_by"},
    {"exec_runs", "attempt"},
    {"exec_runs", "safe_to_repeat"},
    {"exec_runs", "from_queue", "status = 'queued'"},
    {"exec_runs", "client", "session_id"},
    {"exec_runs", "workspace"},
    {"exec_runs", "request_id"},
    {"exec_runs", "priority"},
    {"exec_runs", "max_attempts"},
    {"exec_runs", "redacted"},
    {"exec_runs", "stdout_to"},
    {"exec_runs", "stderr_to"},
    {"run_segments", "sum_before"},
    {"run_segments", "sum"},
    {"backlog_messages", "owner", "''"},
    {"backlog_messages", "for_agent"},
    {"workers", "takes_over"},
};

// Returns the tables with the columns that the old file has, or that have a value without it.
std::vector<Table> tables_of(Database& old) {
  std::vector<Table> tables = {
      {"exec_runs", "number", kRunColumns, &RepairReport::runs},
      {"run_segments", "id", "id, created_at, items, data", &RepairReport::segments},
      {"decisions", "id",
       "id, created_at, session_id, run_id, generation, decision, rule, record_json",
       &RepairReport::others},
      {"host_calls", "id",
       "id, call_id, session_id, workspace, tool, outcome, pid, pid_started, pid_space,"
       " started_at, finished_at",
       &RepairReport::others},
      {"tasks", "id",
       "id, task_id, owner, host, tool, arguments, status, message, outcome, began_at, created_at,"
       " updated_at, finished_at",
       &RepairReport::others},
      {"backlog_messages", "", "session_id, seq, run_id, event, payload, created_at",
       &RepairReport::others},
      {"approvals", "",
       "id, kind, subject, mode, mode_rank, workspace, scope, session_id, created_at, expires_at,"
       " policy_hash, who, revoked_at",
       &RepairReport::others},
      {"workers", "",
       "worker_id, pid, pid_started, boot_id, keeper_pid, keeper_started, started_at,"
       " heartbeat_at, lease_until",
       &RepairReport::others},
      {"run_requests", "id", "id, run_id, kind, argument, created_at, answered_at, answer",
       &RepairReport::others},
      {"run_tails", "number", "number, created_at, items, data, stdout_to, stderr_to",
       &RepairReport::others},
      {"run_usage", "", "number, at, rss_bytes, cpu_ms, processes", &RepairReport::others},
  };
  for (Table& table : tables) {
    table.values = table.columns;
    for (const Added& added : kAdded) {
      if (table.name != added.table) continue;
      const bool has = has_column(old, added.table, added.column);
      if (!has && added.otherwise == nullptr) continue;
      table.columns += std::string(", ") + added.column;
      table.values += std::string(", ") + (has ? added.column : added.otherwise);
    }
  }
  return tables;
}

class Copy {
 public:
  Copy(Database& old, Database& made, const Table& table) : old_(old), made_(made), table_(table) {
    columns_ += static_cast<int>(std::count(table.columns.begin(), table.columns.end(), ','));
  }

  Status run() {
    std::string marks = "?";
    for (int i = 1; i < columns_; ++i) marks += ", ?";
    Result<Statement> insert = made_.prepare(("INSERT OR IGNORE INTO " + table_.name + " (" +
                                              table_.columns + ") VALUES (" + marks + ")")
                                                 .c_str());
    if (!insert) return insert.status();
    insert_ = std::move(*insert);
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    if (!table_.key.empty()) return between(0, kMost);
    bool damaged = false;
    Status status = scan("", "", &damaged, nullptr);
    holes_ += damaged ? 1 : 0;
    return status;
  }
  std::uint64_t rows() const { return rows_; }
  std::uint64_t holes() const { return holes_; }

 private:
  // Keys above `low` and below `high`.
  Status between(std::int64_t low, std::int64_t high) {
    if (high - low < 2) return {};
    if (++tries_ > kMaxTries) {
      ++holes_;
      return {};
    }
    bool damaged = false;
    std::int64_t from = low;
    if (Status status = scan(range(low, high), "ASC", &damaged, &from); !status || !damaged) {
      return status;
    }
    std::int64_t to = high;
    damaged = false;
    if (Status status = scan(range(from, high), "DESC", &damaged, &to); !status) return status;
    if (to - from < 2) return {};
    if (to - from == 2) {
      ++holes_;
      return {};
    }
    const std::int64_t middle = from + (to - from) / 2;
    if (Status status = between(from, middle + 1); !status) return status;
    return between(middle, to);
  }

  std::string range(std::int64_t low, std::int64_t high) const {
    return " WHERE " + table_.key + " > " + std::to_string(low) + " AND " + table_.key + " < " +
           std::to_string(high);
  }

  // Sets `last` to the key of the last row that could be read. Skips a damaged row.
  Status scan(const std::string& where, const std::string& order, bool* damaged,
              std::int64_t* last) {
    std::string sql = "SELECT " + table_.values + " FROM " + table_.name + where;
    if (!order.empty()) sql += " ORDER BY " + table_.key + " " + order;
    Result<Statement> rows = old_.prepare(sql.c_str());
    if (!rows) {
      // An older version lacks the table, or the schema table itself is damaged.
      *damaged = rows.status().code() == "journal_corrupt";
      return {};
    }
    for (;;) {
      const Result<bool> row = rows->step();
      *damaged = !row;
      if (!row || !*row) return {};
      if (last != nullptr) *last = rows->integer(0);
      if (table_.name == "run_segments" && !is_whole(*rows)) {
        ++holes_;
        continue;
      }
      for (int i = 0; i < columns_; ++i) insert_.bind_column(i + 1, *rows, i);
      if (Status status = insert_.run(); !status) return status;
      rows_ += static_cast<std::uint64_t>(made_.changes());
    }
  }

  bool is_whole(const Statement& row) {
    const bool has_sum = columns_ > kColumnsWithoutSum;
    return (!has_sum || is_whole_segment(row)) &&
           parse_segment(row.bytes(2), row.bytes(3).size(), &entries_);
  }

  Database& old_;
  Database& made_;
  const Table& table_;
  int columns_ = 1;
  Statement insert_;
  std::vector<SegmentEntry> entries_;
  std::uint64_t rows_ = 0;
  std::uint64_t holes_ = 0;
  int tries_ = 0;
};

}  // namespace

Status salvage(Database& old, Database& made, RepairReport* report) {
  if (Status status = made.execute("BEGIN IMMEDIATE"); !status) return status;
  for (const Table& table : tables_of(old)) {
    Copy copy(old, made, table);
    if (Status status = copy.run(); !status) return status;
    report->*table.rows += copy.rows();
    report->holes += copy.holes();
  }
  // Keeps the output of runs even when their own row is lost.
  if (Status status = made.execute(
          "INSERT INTO exec_runs (number, run_id, session_id, status, command, queued_at,"
          " finished_at, updated_at, last_seq)"
          " SELECT id >> 32, 'lost-' || (id >> 32), '', 'lost', '', min(created_at),"
          " max(created_at), max(created_at),"
          " max((id & 4294967295) + json_array_length(items) - 1)"
          " FROM run_segments WHERE id >> 32 NOT IN (SELECT number FROM exec_runs)"
          " GROUP BY id >> 32");
      !status) {
    return status;
  }
  return made.execute("COMMIT");
}

}  // namespace gibbous
