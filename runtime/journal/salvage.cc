// A scan ends where a page is damaged. So each table is read from both ends, and the range between
// is halved again and again, each half from both ends, until the tries are used up.
#include "runtime/journal/salvage.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "runtime/journal/segment.h"

namespace gibbous {
namespace {

constexpr int kMaxTries = 4'096;

struct Table {
  const char* name;
  const char* key;  // an integer; "" when it has none, then it is read from the beginning only
  const char* columns;
  int count;  // of columns
};

constexpr const char* kRunColumns =
    "number, run_id, session_id, status, command, background, pty, timeout_secs, max_output_bytes,"
    " watch_json, exit_code, output_bytes, truncated, error_message, queued_at, started_at,"
    " finished_at, updated_at, stored_bytes, not_kept_items, last_seq, meta_json";
constexpr const char* kQueueColumns =
    "number, run_id, session_id, status, command, background, pty, timeout_secs, max_output_bytes,"
    " watch_json, exit_code, output_bytes, truncated, error_message, queued_at, started_at,"
    " finished_at, updated_at, stored_bytes, not_kept_items, last_seq, meta_json, owner,"
    " started_by, attempt, safe_to_repeat, from_queue";
constexpr const char* kClientColumns =
    "number, run_id, session_id, status, command, background, pty, timeout_secs, max_output_bytes,"
    " watch_json, exit_code, output_bytes, truncated, error_message, queued_at, started_at,"
    " finished_at, updated_at, stored_bytes, not_kept_items, last_seq, meta_json, owner,"
    " started_by, attempt, safe_to_repeat, from_queue, client, workspace";
// Tables of versions without a queue, without clients, and without messages for programs alone.
constexpr Table kRunsWithoutQueue = {"exec_runs", "number", kRunColumns, 22};
constexpr Table kRunsWithoutClient = {"exec_runs", "number", kQueueColumns, 27};
constexpr Table kRunsTable = {"exec_runs", "number", kClientColumns, 29};
constexpr Table kWorkers = {"workers", "",
                            "worker_id, pid, pid_started, boot_id, keeper_pid, keeper_started,"
                            " started_at, heartbeat_at, lease_until",
                            9};
constexpr Table kRequests = {"run_requests", "id",
                             "id, run_id, kind, argument, created_at, answered_at, answer", 7};
constexpr Table kUsage = {"run_usage", "", "number, at, rss_bytes, cpu_ms, processes", 5};
constexpr Table kSegments = {"run_segments", "id", "id, created_at, items, data", 4};
constexpr Table kDecisions = {
    "decisions", "id",
    "id, created_at, session_id, run_id, generation, decision, rule, record_json", 8};
constexpr Table kBacklogOfAll = {"backlog_messages", "",
                                 "session_id, owner, seq, run_id, event, payload, created_at", 7};
constexpr Table kBacklog = {"backlog_messages", "",
                            "session_id, owner, seq, run_id, event, payload, created_at, for_agent",
                            8};
constexpr Table kApprovals = {"approvals", "",
                              "id, kind, subject, mode, mode_rank, workspace, scope, session_id,"
                              " created_at, expires_at, policy_hash, who, revoked_at",
                              13};

class Copy {
 public:
  Copy(Database& old, Database& made, const Table& table) : old_(old), made_(made), table_(table) {}

  Status run() {
    std::string marks = "?";
    for (int i = 1; i < table_.count; ++i) marks += ", ?";
    Result<Statement> insert = made_.prepare(("INSERT OR IGNORE INTO " + std::string(table_.name) +
                                              " (" + table_.columns + ") VALUES (" + marks + ")")
                                                 .c_str());
    if (!insert) return insert.status();
    insert_ = std::move(*insert);
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    if (*table_.key != '\0') return between(0, kMost);
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
    const std::string key = table_.key;
    return " WHERE " + key + " > " + std::to_string(low) + " AND " + key + " < " +
           std::to_string(high);
  }

  // Sets `last` to the key of the last row that could be read. Skips a damaged row.
  Status scan(const std::string& where, const std::string& order, bool* damaged,
              std::int64_t* last) {
    std::string sql = "SELECT " + std::string(table_.columns) + " FROM " + table_.name + where;
    if (!order.empty()) sql += std::string(" ORDER BY ") + table_.key + " " + order;
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
      if (&table_ == &kSegments && !is_whole(*rows)) {
        ++holes_;
        continue;
      }
      for (int i = 0; i < table_.count; ++i) insert_.bind_column(i + 1, *rows, i);
      if (Status status = insert_.run(); !status) return status;
      rows_ += static_cast<std::uint64_t>(made_.changes());
    }
  }

  bool is_whole(const Statement& row) {
    return parse_segment(row.bytes(2), row.bytes(3).size(), &entries_);
  }

  Database& old_;
  Database& made_;
  const Table& table_;
  Statement insert_;
  std::vector<SegmentEntry> entries_;
  std::uint64_t rows_ = 0;
  std::uint64_t holes_ = 0;
  int tries_ = 0;
};

}  // namespace

Status salvage(Database& old, Database& made, RepairReport* report) {
  const auto lacks = [&old](const char* sql) {
    return old.prepare(sql).status().code() == "journal_failed";
  };
  const bool no_client = lacks("SELECT client FROM exec_runs");
  const Table& runs = lacks("SELECT owner FROM exec_runs") ? kRunsWithoutQueue
                      : no_client                          ? kRunsWithoutClient
                                                           : kRunsTable;
  const Table& backlog = lacks("SELECT for_agent FROM backlog_messages") ? kBacklogOfAll : kBacklog;
  const struct {
    const Table& table;
    std::uint64_t* rows;
  } each[] = {{runs, &report->runs},         {kSegments, &report->segments},
              {kDecisions, &report->others}, {backlog, &report->others},
              {kApprovals, &report->others}, {kWorkers, &report->others},
              {kRequests, &report->others},  {kUsage, &report->others}};
  if (Status status = made.execute("BEGIN IMMEDIATE"); !status) return status;
  for (const auto& one : each) {
    Copy copy(old, made, one.table);
    if (Status status = copy.run(); !status) return status;
    *one.rows += copy.rows();
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
  if (no_client) {
    const Status status = made.execute("UPDATE exec_runs SET client = session_id");
    if (!status) return status;
  }
  return made.execute("COMMIT");
}

}  // namespace gibbous
