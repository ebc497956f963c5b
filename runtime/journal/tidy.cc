#include "runtime/journal/tidy.h"

#include <string>

#include "runtime/journal/schema.h"

namespace gibbous {
namespace {

// Counts pages in use, not free ones.
Result<std::int64_t> used_bytes(Database& database) {
  const Result<std::int64_t> pages = database.number("PRAGMA page_count");
  if (!pages) return pages;
  const Result<std::int64_t> free_pages = database.number("PRAGMA freelist_count");
  if (!free_pages) return free_pages;
  const Result<std::int64_t> page_bytes = database.number("PRAGMA page_size");
  if (!page_bytes) return page_bytes;
  return (*pages - *free_pages) * *page_bytes;
}

Result<std::int64_t> change(Database& database, const std::string& sql) {
  if (Status status = database.execute(sql.c_str()); !status) return status;
  return database.changes();
}

// Returns the ended run to remove first; 0 for none.
Result<std::int64_t> next_run(Database& database, const TidyLimits& limits, std::int64_t now) {
  if (limits.max_total_bytes > 0) {
    const Result<std::int64_t> used = used_bytes(database);
    if (!used) return used;
    if (*used > limits.max_total_bytes) {
      return database.number(
          "SELECT number FROM exec_runs WHERE finished_at IS NOT NULL ORDER BY finished_at LIMIT "
          "1");
    }
  }
  if (limits.max_age_ms <= 0) return std::int64_t{0};
  const std::string sql = "SELECT number FROM exec_runs WHERE finished_at < " +
                          std::to_string(now - limits.max_age_ms) + " ORDER BY finished_at LIMIT 1";
  return database.number(sql.c_str());
}

// Removes other rows that refer to the run by number or name.
Status drop_of_run(Database& database, const std::string& number) {
  return database.execute(("DELETE FROM run_usage WHERE number = " + number +
                           "; DELETE FROM run_tails WHERE number = " + number +
                           "; DELETE FROM run_requests WHERE run_id = (SELECT run_id FROM "
                           "exec_runs WHERE number = " +
                           number + ")")
                              .c_str());
}

// Removes segments first, from the beginning, so that stopping halfway leaves a readable run. The
// last ones go with the run's row: a run whose end is missing counts as damaged.
Result<bool> shrink_run(Database& database, std::int64_t number) {
  const std::string begin = std::to_string(segment_id(number, 0));
  const std::string end = std::to_string(segment_id(number + 1, 0));
  const Result<std::int64_t> removed = change(
      database,
      "DELETE FROM run_segments WHERE id IN (SELECT id FROM run_segments WHERE id "
      ">= " +
          begin + " AND id < " + end + " ORDER BY id LIMIT " + std::to_string(kTidySegments) + ")");
  if (!removed) return removed.status();
  const std::string left =
      "SELECT EXISTS (SELECT 1 FROM run_segments WHERE id >= " + begin + " AND id < " + end + ")";
  const Result<std::int64_t> more = database.number(left.c_str());
  if (!more || *more != 0) return more ? Result<bool>(true) : more.status();
  if (Status status = drop_of_run(database, std::to_string(number)); !status) return status;
  const Result<std::int64_t> gone =
      change(database, "DELETE FROM exec_runs WHERE number = " + std::to_string(number));
  if (!gone) return gone.status();
  return true;
}

Result<bool> drop_old_rows(Database& database, const TidyLimits& limits, std::int64_t now) {
  if (limits.max_age_ms <= 0) return false;
  const std::string before = std::to_string(now - limits.max_age_ms);
  const std::string most = std::to_string(kTidyRows);
  bool more = false;
  for (const std::string& sql : {
           // Their ids rise with time.
           "DELETE FROM decisions WHERE id IN (SELECT id FROM decisions ORDER BY id LIMIT " + most +
               ") AND created_at < " + before,
           "DELETE FROM host_calls WHERE id IN (SELECT id FROM host_calls ORDER BY id LIMIT " +
               most + ") AND started_at < " + before,
           "DELETE FROM backlog_messages WHERE (session_id, owner, seq) IN (SELECT session_id, "
           "owner, "
           "seq FROM backlog_messages WHERE created_at < " +
               before + " LIMIT " + most + ")",
       }) {
    const Result<std::int64_t> removed = change(database, sql);
    if (!removed) return removed.status();
    more = more || *removed == kTidyRows;
  }
  return more;
}

// A claim without a start does not end the wait. A run that had started and is queued again waits
// from then on (Queue::requeue).
Result<bool> end_stale(Database& database, const TidyLimits& limits, std::int64_t now) {
  if (limits.queue_ttl_ms <= 0) return false;
  const std::string when = std::to_string(now);
  const Result<std::int64_t> ended = change(
      database,
      "UPDATE exec_runs SET status = 'killed', finished_at = " + when + ", updated_at = " + when +
          ", error_message = 'it waited longer than journal.queue_ttl_hours'"
          " || coalesce(' (' || error_message || ')', '')"
          " WHERE number IN (SELECT number FROM exec_runs WHERE status = 'queued'"
          " AND queued_at < " +
          std::to_string(now - limits.queue_ttl_ms) + " LIMIT " + std::to_string(kTidyRows) + ")");
  if (!ended) return ended.status();
  return *ended == kTidyRows;
}

Result<bool> step_inside(Database& database, const TidyLimits& limits, std::int64_t now) {
  const Result<std::int64_t> run = next_run(database, limits, now);
  if (!run) return run.status();
  if (*run != 0) return shrink_run(database, *run);
  const Result<bool> stale = end_stale(database, limits, now);
  if (!stale || *stale) return stale;
  const Result<bool> more = drop_old_rows(database, limits, now);
  if (!more || *more) return more;
  const Result<std::int64_t> free_pages = database.number("PRAGMA freelist_count");
  if (!free_pages) return free_pages.status();
  if (*free_pages == 0) return false;
  const std::string vacuum = "PRAGMA incremental_vacuum(" + std::to_string(kTidyPages) + ")";
  if (Status status = database.execute(vacuum.c_str()); !status) return status;
  return *free_pages > kTidyPages;
}

}  // namespace

Result<bool> tidy_step(Database& database, EndedRows& ended, const TidyLimits& limits,
                       std::int64_t now) {
  if (Status status = begin_writing(database); !status) return status;
  Result<bool> more = step_inside(database, limits, now);
  Status status = more.status();
  if (status) status = ended.redact();
  if (status && ended.redacted() >= kMaxRedactedRows) more = true;
  if (status) status = database.execute("COMMIT");
  if (!status) {
    if (database.in_transaction()) (void)database.execute("ROLLBACK");
    return status;
  }
  return more;
}

}  // namespace gibbous
