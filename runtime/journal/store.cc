#include "runtime/journal/store.h"

#include <utility>

namespace gibbous {
namespace {

constexpr const char* kPutRun =
    "INSERT INTO exec_runs (run_id, session_id, status, command, background, pty, timeout_secs,"
    " max_output_bytes, watch_json, exit_code, error_message, queued_at, started_at, finished_at,"
    " updated_at, meta_json) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    " ON CONFLICT (run_id) DO UPDATE SET session_id = excluded.session_id,"
    " status = excluded.status, command = excluded.command, background = excluded.background,"
    " pty = excluded.pty, timeout_secs = excluded.timeout_secs,"
    " max_output_bytes = excluded.max_output_bytes, watch_json = excluded.watch_json,"
    " exit_code = excluded.exit_code, error_message = excluded.error_message,"
    " queued_at = excluded.queued_at, started_at = excluded.started_at,"
    " finished_at = excluded.finished_at, updated_at = excluded.updated_at,"
    " meta_json = excluded.meta_json";

void bind_text(Statement& statement, int index, const std::string& text) {
  if (text.empty()) {
    statement.bind_null(index);
  } else {
    statement.bind(index, text);
  }
}

void bind_time(Statement& statement, int index, std::int64_t time) {
  if (time == 0) {
    statement.bind_null(index);
  } else {
    statement.bind(index, time);
  }
}

}  // namespace

Store::Store(std::unique_ptr<Database> database, const StoreLimits& limits)
    : database_(std::move(database)), items_(*database_, limits.max_run_bytes) {}

Result<std::unique_ptr<Store>> Store::create(std::unique_ptr<Database> database,
                                             const StoreLimits& limits) {
  std::unique_ptr<Store> store(new Store(std::move(database), limits));
  if (Status status = store->prepare(limits); !status) return status;
  return store;
}

Status Store::prepare(const StoreLimits& limits) {
  if (limits.max_pages > 0) {
    const std::string sql = "PRAGMA max_page_count=" + std::to_string(limits.max_pages);
    if (Status status = database_->execute(sql.c_str()); !status) return status;
  }
  const struct {
    Statement* statement;
    const char* sql;
  } all[] = {
      {&put_run_, kPutRun},
      {&add_decision_,
       "INSERT INTO decisions (created_at, session_id, run_id, generation, decision, rule,"
       " record_json) VALUES (?, ?, ?, ?, ?, ?, ?)"},
      {&add_backlog_,
       "INSERT OR IGNORE INTO backlog_messages (session_id, seq, run_id, event, payload,"
       " created_at) VALUES (?, ?, ?, ?, ?, ?)"},
      {&drain_backlog_, "DELETE FROM backlog_messages WHERE session_id = ? AND seq <= ?"},
      {&put_approval_,
       "INSERT OR REPLACE INTO approvals (id, kind, subject, mode, mode_rank, workspace, scope,"
       " session_id, created_at, expires_at, policy_hash, who, revoked_at)"
       " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"},
  };
  for (const auto& each : all) {
    Result<Statement> prepared = database_->prepare(each.sql);
    if (!prepared) return prepared.status();
    *each.statement = std::move(*prepared);
  }
  return items_.prepare();
}

void Store::know(RunSlot slot, const std::string& run_id) {
  items_.know(slot, run_id);
}

Status Store::apply(const Batch& batch, std::int64_t now, Applied* applied) {
  if (Status status = database_->execute("BEGIN IMMEDIATE"); !status) return status;
  Status status;
  // Under the lock: a repair holds it while it takes the file's name away.
  if (!database_->is_current()) {
    status = Status::error("journal_unusable",
                           database_->path() + ": it was moved or replaced; it is opened again");
  }
  if (status) status = write_all(batch, now, applied);
  if (status) status = database_->execute("COMMIT");
  if (!status && database_->in_transaction()) (void)database_->execute("ROLLBACK");
  return status;
}

Status Store::write_all(const Batch& batch, std::int64_t now, Applied* applied) {
  now_ = now;
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
  for (const QueuedRecord& record : batch.records) {
    Status status = add_items(record.before_item);
    if (status) {
      status = std::visit([this](const auto& what) { return write(what); }, record.what);
    }
    if (!status) return status;
  }
  if (Status status = add_items(batch.items.size()); !status) return status;
  if (Status status = items_.end_batch(now, &applied->settled); !status) return status;
  for (const RunSlot slot : std::exchange(forgotten_, {})) items_.forget(slot);
  applied->stored = items_.stored() - stored_before;
  applied->not_kept = items_.not_kept() - not_kept_before;
  return {};
}

Status Store::write(const QueuedRun& queued) {
  const RunRecord& run = queued.run;
  put_run_.bind(1, run.run_id)
      .bind(2, run.session_id)
      .bind(3, run.status)
      .bind(4, run.command)
      .bind(5, std::int64_t{run.background})
      .bind(6, std::int64_t{run.pty})
      .bind(7, run.timeout_secs)
      .bind(8, run.max_output_bytes);
  bind_text(put_run_, 9, run.watch_json);
  if (run.has_exit_code) {
    put_run_.bind(10, run.exit_code);
  } else {
    put_run_.bind_null(10);
  }
  bind_text(put_run_, 11, run.error_message);
  put_run_.bind(12, run.queued_at);
  bind_time(put_run_, 13, run.started_at);
  bind_time(put_run_, 14, run.finished_at);
  put_run_.bind(15, now_);
  bind_text(put_run_, 16, run.meta_json);
  if (Status status = put_run_.run(); !status) return status;
  return items_.open_run(queued.slot, run);
}

// At the end of the batch: its items may lie in front of this.
Status Store::write(const ForgottenRun& run) {
  forgotten_.push_back(run.slot);
  return {};
}

Status Store::write(const DecisionRecord& decision) {
  return add_decision_.bind(1, decision.created_at)
      .bind(2, decision.session_id)
      .bind(3, decision.run_id)
      .bind(4, decision.generation)
      .bind(5, decision.decision)
      .bind(6, decision.rule)
      .bind(7, decision.record_json)
      .run();
}

Status Store::write(const BacklogMessage& message) {
  return add_backlog_.bind(1, message.session_id)
      .bind(2, static_cast<std::int64_t>(message.seq))
      .bind(3, message.run_id)
      .bind(4, message.event)
      .bind(5, message.payload)
      .bind(6, message.created_at)
      .run();
}

Status Store::write(const DrainedBacklog& drained) {
  return drain_backlog_.bind(1, drained.session_id)
      .bind(2, static_cast<std::int64_t>(drained.through_seq))
      .run();
}

Status Store::write(const ApprovalRecord& approval) {
  return put_approval_.bind(1, approval.id)
      .bind(2, approval.kind)
      .bind(3, approval.subject)
      .bind(4, approval.mode)
      .bind(5, approval.mode_rank)
      .bind(6, approval.workspace)
      .bind(7, approval.scope)
      .bind(8, approval.session_id)
      .bind(9, approval.created_at)
      .bind(10, approval.expires_at)
      .bind(11, approval.policy_hash)
      .bind(12, approval.who)
      .bind(13, approval.revoked_at)
      .run();
}

}  // namespace gibbous
