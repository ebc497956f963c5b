// JournalReader's view of the queue: workers, requests, usage, and whether anything changed.
#include <limits>
#include <string>

#include "runtime/journal/journal_reader_impl.h"
#include "runtime/journal/queue_choice.h"
#include "runtime/journal/run_row.h"
#include "runtime/journal/schema.h"
#include "runtime/journal/workers.h"

namespace gibbous {
namespace {

constexpr std::string_view kSelectRequest =
    "SELECT id, run_id, kind, argument, created_at, answered_at, answer FROM run_requests";

RunRequest request_of(const Statement& row) {
  return {row.integer(0), row.text(1),    row.text(2), row.text(3),
          row.integer(4), row.integer(5), row.text(6)};
}

UsageSample sample_of(const Statement& row) {
  return {row.integer(0), row.integer(1), row.integer(2), row.integer(3)};
}

}  // namespace

Result<std::vector<WorkerRecord>> JournalReader::workers() {
  const std::string sql =
      std::string("SELECT ") + kWorkerColumns + " FROM workers ORDER BY started_at, worker_id";
  Result<Statement> statement = impl_->database->prepare(sql.c_str());
  if (!statement) return statement.status();
  return all<WorkerRecord>(*statement, worker_of);
}

Result<std::vector<WorkerRecord>> JournalReader::workers_elsewhere(std::string_view boot_id) {
  const std::string sql =
      std::string("SELECT ") + kWorkerColumns + " FROM workers WHERE boot_id <> ?";
  Result<Statement> statement = impl_->database->prepare(sql.c_str());
  if (!statement) return statement.status();
  statement->with(boot_id);
  return all<WorkerRecord>(*statement, worker_of);
}

Result<WorkerRecord> JournalReader::next_worker(std::string_view worker_id,
                                                std::string_view boot_id) {
  const std::string select = std::string("SELECT ") + kWorkerColumns + " FROM workers WHERE ";
  for (const char* where : {"worker_id > ?1", "worker_id <= ?1"}) {
    Result<Statement> statement = impl_->database->prepare(
        (select + where + " AND boot_id = ?2 ORDER BY worker_id LIMIT 1").c_str());
    if (!statement) return statement.status();
    const Result<bool> row = statement->with(worker_id, boot_id).step();
    if (!row) return row.status();
    if (*row) return worker_of(*statement);
  }
  return Status::error("worker_not_found", "no worker has joined");
}

Result<std::vector<WorkerRecord>> JournalReader::owners(std::string_view client) {
  const std::string sql =
      std::string("SELECT ") + kWorkerColumns +
      " FROM workers WHERE worker_id IN (SELECT owner FROM exec_runs"
      " INDEXED BY exec_runs_going WHERE client = ? AND status IN ('starting', 'running'))";
  Result<Statement> statement = impl_->database->prepare(sql.c_str());
  if (!statement) return statement.status();
  statement->with(client);
  return all<WorkerRecord>(*statement, worker_of);
}

Result<bool> JournalReader::has_ownerless() {
  Result<Statement> statement = impl_->database->prepare(
      "SELECT 1 FROM exec_runs INDEXED BY exec_runs_going WHERE status IN ('starting', 'running')"
      " AND (owner IS NULL OR owner NOT IN (SELECT worker_id FROM workers)) LIMIT 1");
  if (!statement) return statement.status();
  return statement->step();
}

Result<bool> JournalReader::has_messages(std::string_view session_id, std::string_view worker_id) {
  Result<Statement> statement = impl_->database->prepare(
      "SELECT 1 FROM backlog_messages WHERE session_id = ? AND owner <> ? LIMIT 1");
  if (!statement) return statement.status();
  return statement->with(session_id, worker_id).step();
}

Result<QueueChoices> JournalReader::queue_choices(const ClaimScope& scope, std::size_t most) {
  QueueChoice choice;
  if (Status status = choice.prepare(*impl_->database); !status) return status;
  return choice.choose(scope, most, [](const QueueHead&) -> Result<bool> { return true; });
}

Result<QueuePlace> JournalReader::queue_place(std::string_view run_id, const ClaimScope& scope) {
  Result<RunRecord> run = this->run(run_id);
  if (!run) return run.status();
  QueuePlace place{std::move(*run), std::nullopt, std::nullopt, 0};
  if (place.run.status != "queued") return place;
  // The one in progress, else the first one that is queued.
  Result<Statement> statement = impl_->database->prepare(
      (std::string(kSelectRun) +
       " WHERE workspace = ?3 AND client = ?4 AND session_id = ?1 AND run_id <> ?2 AND "
       "((from_queue = 1 AND status IN ('starting', 'running')) OR (status = 'queued' AND"
       " (priority > ?5 OR (priority = ?5 AND number < (SELECT number FROM exec_runs WHERE"
       " run_id = ?2))))) ORDER BY status = 'queued', priority DESC, number LIMIT 1")
          .c_str());
  if (!statement) return statement.status();
  const Result<bool> row = statement
                               ->with(place.run.session_id, run_id, place.run.workspace,
                                      place.run.client, place.run.priority)
                               .step();
  if (!row) return row.status();
  if (*row) {
    place.before = run_of(*statement);
    return place;
  }
  const Result<QueueChoices> choices =
      queue_choices(scope, std::numeric_limits<std::size_t>::max());
  if (!choices) return choices.status();
  for (const WaitingRun& waiting : choices->waiting) {
    if (waiting.run_id == run_id) {
      place.lacks = waiting.lacks;
      break;
    }
    ++place.ahead;
  }
  if (!place.lacks) place.ahead = 0;
  return place;
}

Result<std::vector<RunRequest>> JournalReader::requests(std::string_view owner, std::size_t limit) {
  std::string sql(kSelectRequest);
  sql +=
      " WHERE answered_at IS NULL AND (?1 = '' OR run_id IN (SELECT run_id FROM exec_runs"
      " WHERE status IN ('starting', 'running') AND owner = ?1)) ORDER BY id LIMIT ?2";
  Result<Statement> statement = impl_->database->prepare(sql.c_str());
  if (!statement) return statement.status();
  statement->with(owner, as_limit(limit));
  return all<RunRequest>(*statement, request_of);
}

Result<RunRequest> JournalReader::request(std::int64_t id) {
  Result<Statement> statement =
      impl_->database->prepare((std::string(kSelectRequest) + " WHERE id = ?").c_str());
  if (!statement) return statement.status();
  const Result<bool> row = statement->with(id).step();
  if (!row) return row.status();
  if (*row) return request_of(*statement);
  return Status::error("request_not_found", "the journal holds no request " + std::to_string(id));
}

Result<std::vector<UsageSample>> JournalReader::usage(std::string_view run_id,
                                                      std::int64_t since_ms, std::size_t limit) {
  const Result<std::int64_t> number = impl_->number_of(run_id);
  if (!number) return number.status();
  Result<Statement> statement = impl_->database->prepare(
      "SELECT at, rss_bytes, cpu_ms, processes FROM run_usage WHERE number = ? AND at > ?"
      " ORDER BY at LIMIT ?");
  if (!statement) return statement.status();
  statement->with(*number, since_ms, as_limit(limit));
  return all<UsageSample>(*statement, sample_of);
}

Result<std::int64_t> JournalReader::changes() {
  const Result<bool> row = impl_->select_changes.step();
  if (!row) return row.status();
  const std::int64_t version = *row ? impl_->select_changes.integer(0) : 0;
  impl_->select_changes.reset();
  const Status same = check_version(*impl_->database);
  return same ? Result<std::int64_t>(version) : same;
}

}  // namespace gibbous
