#include "runtime/journal/batch_writer.h"

#include <optional>
#include <utility>

#include "runtime/journal/schema.h"

namespace gibbous {
namespace {

constexpr const char* kPutRun =
    "INSERT INTO exec_runs (run_id, session_id, status, command, background, pty, timeout_secs,"
    " max_output_bytes, watch_json, exit_code, error_message, queued_at, started_at, finished_at,"
    " updated_at, meta_json, safe_to_repeat, attempt, owner, started_by, from_queue,"
    " client, workspace, request_id, priority, max_attempts)"
    " VALUES (?, ?, ?3, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?19, ?20, ?3 = 'queued', ?21,"
    " ?22, ?23, ?24, ?25)"
    " ON CONFLICT (run_id) DO UPDATE SET session_id = excluded.session_id,"
    " status = excluded.status, command = excluded.command, background = excluded.background,"
    " pty = excluded.pty, timeout_secs = excluded.timeout_secs,"
    " max_output_bytes = excluded.max_output_bytes, watch_json = excluded.watch_json,"
    " exit_code = excluded.exit_code, error_message = excluded.error_message,"
    " queued_at = excluded.queued_at, started_at = excluded.started_at,"
    " finished_at = excluded.finished_at, updated_at = excluded.updated_at,"
    " meta_json = excluded.meta_json, safe_to_repeat = excluded.safe_to_repeat, redacted = 0,"
    " owner = coalesce(owner, ?20), started_by = coalesce(started_by, ?20)";

}  // namespace

BatchWriter::BatchWriter(std::unique_ptr<Database> database, const BatchLimits& limits,
                         WorkerAlive alive, RedactRun redact)
    : database_(std::move(database)),
      workers_(*database_, std::move(alive)),
      queue_(*database_, workers_),
      items_(*database_, limits.max_run_bytes, workers_),
      ended_(*database_, std::move(redact)) {}

Result<std::unique_ptr<BatchWriter>> BatchWriter::create(std::unique_ptr<Database> database,
                                                         const BatchLimits& limits,
                                                         WorkerAlive alive, RedactRun redact) {
  std::unique_ptr<BatchWriter> store(
      new BatchWriter(std::move(database), limits, std::move(alive), std::move(redact)));
  if (Status status = store->prepare(limits); !status) return status;
  return store;
}

Status BatchWriter::prepare(const BatchLimits& limits) {
  if (limits.max_pages > 0) {
    const std::string sql = "PRAGMA max_page_count=" + std::to_string(limits.max_pages);
    if (Status status = database_->execute(sql.c_str()); !status) return status;
  }
  Status status = database_->prepare_all({
      {&put_run_, kPutRun},
      {&add_decision_,
       "INSERT INTO decisions (created_at, session_id, run_id, generation, decision, rule,"
       " record_json) VALUES (?, ?, ?, ?, ?, ?, ?)"},
      {&put_call_,
       "INSERT INTO host_calls (call_id, session_id, workspace, tool, outcome, pid, pid_started,"
       " pid_space, started_at, finished_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
       " ON CONFLICT (call_id) DO UPDATE SET outcome = excluded.outcome,"
       " finished_at = excluded.finished_at"},
      {&select_request_,
       "SELECT run_id FROM exec_runs WHERE client = ? AND request_id = ? LIMIT 1"},
      {&delete_segments_,
       "DELETE FROM run_segments WHERE id BETWEEN"
       " (SELECT number << 32 FROM exec_runs WHERE run_id = ?1)"
       " AND (SELECT number << 32 | 4294967295 FROM exec_runs WHERE run_id = ?1)"},
      {&delete_run_, "DELETE FROM exec_runs WHERE run_id = ?"},
  });
  if (status) status = workers_.prepare();
  if (status) status = queue_.prepare();
  if (status) status = ended_.prepare();
  if (status) status = items_.prepare();
  return status ? look_at_mark() : status;
}

Status BatchWriter::look_at_mark() {
  const std::string& path = database_->path();
  mark_file_ = CommitMarkFile::open(path.substr(0, path.rfind('/')), true);
  // Read before the file, which others may be writing.
  const std::optional<CommitMark> mark = mark_file_.read();
  if (!mark) return {};
  const Result<bool> is_new = is_without_runs(*database_);
  if (!is_new) return is_new.status();
  if (*is_new) {
    mark_file_.clear();
    return {};
  }
  const Status compared = compare_with_mark(*database_, *mark);
  if (compared || compared.code() != "journal_cut") return compared;
  lost_ = compared;
  missing_ = mark;
  return {};
}

void BatchWriter::note_commit() {
  const CommitMark newest = items_.take_newest();
  const bool noted = std::exchange(missing_, std::nullopt).has_value();
  const bool withdrew = std::exchange(withdrew_, false);
  if (!withdrew && newest.number != 0) {
    mark_file_.write(newest);
  } else if (withdrew || noted) {
    mark_file_.clear();
  }
}

void BatchWriter::know(RunSlot slot, const std::string& run_id, std::int64_t attempt) {
  items_.know(slot, run_id, attempt);
}

Status BatchWriter::apply(const Batch& batch, std::int64_t now, Applied* applied) {
  if (Status status = begin_writing(*database_); !status) return status;
  Status status;
  // Taken under the lock, because a process that sets the file aside holds it.
  if (!database_->is_current()) {
    status = Status::error(
        "journal_unusable",
        database_->path() + ": it or its log was moved or replaced, and is opened again");
  }
  if (status && missing_) status = note_missing_items(*database_, *missing_);
  if (status) status = write_all(batch, now, applied);
  if (status) status = database_->execute("COMMIT");
  if (status) note_commit();
  if (!status && database_->in_transaction()) (void)database_->execute("ROLLBACK");
  return status;
}

Status BatchWriter::write_all(const Batch& batch, std::int64_t now, Applied* applied) {
  now_ = now;
  applied_ = applied;
  workers_.changes() = {};
  const std::uint64_t stored_before = items_.stored();
  const std::uint64_t not_kept_before = items_.not_kept();
  std::size_t at = 0;
  const auto add_items = [&](std::size_t end) -> Status {
    for (; at < end; ++at) {
      Status status = items_.add(batch.items[at].run, batch.item(batch.items[at]));
      if (!status) return status;
    }
    return {};
  };
  for (record_ = 0; record_ < batch.records.size(); ++record_) {
    const QueuedRecord& record = batch.records[record_];
    Status status = add_items(record.before_item);
    if (status) {
      status = std::visit([this](const auto& what) { return write(what); }, record.what);
    }
    if (!status) return status;
  }
  if (Status status = add_items(batch.items.size()); !status) return status;
  if (Status status = write_out_items(); !status) return status;
  if (Status status = ended_.redact(); !status) return status;
  for (const RunSlot slot : std::exchange(forgotten_, {})) items_.forget(slot);
  applied->changes = std::exchange(workers_.changes(), {});
  applied->stored = items_.stored() - stored_before;
  applied->not_kept = items_.not_kept() - not_kept_before;
  return {};
}

Status BatchWriter::write_out_items() {
  return items_.end_batch(now_, &applied_->settled, &applied_->refused);
}

Status BatchWriter::look_at_fence(const RunRecord& run, Status* why) {
  const std::string& self = workers_.self().worker_id;
  FenceRow row{"queued", run.owner, run.attempt};
  bool found = false;
  if (Status status = queue_.find(run.run_id, &row, &found); !status) return status;
  // A new run may be queued for another worker, but that worker must not have executed it.
  if (!found && !run.request_id.empty()) {
    if (Status status = look_for_request(run, why); !status || !*why) return status;
  }
  if (found || run.status != "queued") *why = may_write(run.run_id, row, self, run.attempt);
  if (*why && found) *why = may_follow(run.run_id, row, run.status);
  if (*why) queue_.note_put(run, found ? std::optional(row) : std::nullopt);
  return {};
}

Status BatchWriter::look_for_request(const RunRecord& run, Status* why) {
  const Result<bool> row = select_request_.with(run.client, run.request_id).step();
  if (!row || !*row) return row.status();
  *why = Status::error("request_repeated",
                       "run " + select_request_.text(0) + " has this request_id already");
  select_request_.reset();
  return {};
}

// A commit that failed may have left the run in the file all the same.
Status BatchWriter::remove_withdrawn(const QueuedRun& queued) {
  const std::string& id = queued.run.run_id;
  if (Status status = write_out_items(); !status) return status;
  withdrew_ = true;
  if (Status status = delete_segments_.with(id).run(); !status) return status;
  if (Status status = delete_run_.with(id).run(); !status) return status;
  return refuse(queued, Status::error("run_withdrawn", "run " + id + " was withdrawn"));
}

// Check the items that follow again.
Status BatchWriter::refuse(const QueuedRun& queued, const Status& why) {
  if (Status status = write_out_items(); !status) return status;
  items_.know(queued.slot, queued.run.run_id, queued.run.attempt);
  applied_->refused.push_back({record_, queued.run.run_id, why});
  return {};
}

Status BatchWriter::write(const QueuedRun& queued) {
  if (queued.ticket && !queued.ticket->begin_writing()) return remove_withdrawn(queued);
  Status why;
  if (Status status = look_at_fence(queued.run, &why); !status) return status;
  if (!why) return refuse(queued, why);
  if (Status status = put(queued.run); !status) return status;
  if (is_terminal_status(queued.run.status)) {
    Status status = queue_.answer_all(queued.run.run_id, queued.run.status, now_);
    if (status) status = queue_.tails().drop(queued.run.run_id);
    if (!status) return status;
  }
  return items_.open_run(queued.slot, queued.run);
}

Status BatchWriter::put(const RunRecord& run) {
  // A worker that executes a run without an owner becomes its owner.
  const std::string no_worker;
  const std::string& self = run.status == "queued" ? no_worker : workers_.self().worker_id;
  const std::string& owner = run.owner.empty() ? self : run.owner;
  put_run_.with(run.run_id, run.session_id, run.status, run.command, run.background, run.pty,
                run.timeout_secs, run.max_output_bytes, NullWhenEmpty{run.watch_json},
                run.exit_code, NullWhenEmpty{run.error_message}, run.queued_at,
                NullWhenZero{run.started_at}, NullWhenZero{run.finished_at}, now_,
                NullWhenEmpty{run.meta_json}, run.safe_to_repeat, run.attempt, NullWhenEmpty{owner},
                NullWhenEmpty{self}, run.client, run.workspace, NullWhenEmpty{run.request_id},
                run.priority, run.max_attempts);
  constexpr int kExitCode = 10;
  if (!run.has_exit_code) put_run_.bind_null(kExitCode);
  return put_run_.run();
}

// Forgets the run at the end of the batch, because its items may come earlier in the batch.
Status BatchWriter::write(const ForgottenRun& run) {
  forgotten_.push_back(run.slot);
  return {};
}

Status BatchWriter::write(const DecisionRecord& decision) {
  return add_decision_
      .with(decision.created_at, decision.session_id, decision.run_id, decision.generation,
            decision.decision, decision.rule, decision.record_json)
      .run();
}

Status BatchWriter::write(const HostCallRecord& call) {
  return put_call_
      .with(call.call_id, call.session_id, call.workspace, call.tool, call.outcome, call.pid,
            call.pid_started, call.pid_space, call.started_at, NullWhenZero{call.finished_at})
      .run();
}

Status BatchWriter::write(const BacklogMessage& message) {
  if (message.elsewhere) workers_.changes().clients.insert(message.session_id);
  return queue_.backlog().add(message);
}

Status BatchWriter::write(const DrainedBacklog& drained) {
  return queue_.backlog().drain(drained.session_id, drained.through_seq);
}

Status BatchWriter::write(const QueuedUsage& usage) {
  return queue_.add_usage(usage.run_id, usage.sample);
}

Status BatchWriter::write(const RunTail& tail) {
  return queue_.tails().save(tail, workers_.self().worker_id);
}

// This may change the owner of a run and reads its row, so earlier items are written first.
Status BatchWriter::write(const QueuedOperation& operation) {
  if (Status status = write_out_items(); !status) return status;
  return operation->apply(queue_, now_);
}

}  // namespace gibbous
