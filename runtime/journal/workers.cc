#include "runtime/journal/workers.h"

#include <optional>
#include <utility>
#include <vector>

namespace gibbous {

WorkerRecord worker_of(const Statement& row) {
  return {row.text(0),    row.integer(1), row.integer(2), row.text(3),    row.integer(4),
          row.integer(5), row.integer(6), row.integer(7), row.integer(8), row.integer(9) != 0};
}

Status Workers::prepare() {
  const std::string columns = kWorkerColumns;
  const std::string select = "SELECT " + columns + " FROM workers";
  const std::string put =
      "INSERT OR REPLACE INTO workers (" + columns + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
  return database_.prepare_all({
      {&put_, put},
      {&beat_,
       "UPDATE workers SET lease_until = ?, keeper_pid = ?, keeper_started = ?, heartbeat_at = ?"
       " WHERE worker_id = ?"},
      {&renew_,
       "UPDATE workers SET lease_until = lease_until + ?1 - heartbeat_at, heartbeat_at = ?1"
       " WHERE worker_id = ?2"},
      {&remove_, "DELETE FROM workers WHERE worker_id = ?"},
      {&retire_,
       "UPDATE workers SET pid = 0, pid_started = 0, lease_until = 0 WHERE worker_id = ?1"
       " AND EXISTS (SELECT 1 FROM exec_runs WHERE status IN ('starting', 'running')"
       " AND (owner = ?1 OR started_by = ?1))"},
      {&select_, select + " WHERE worker_id = ?"},
      {&select_unneeded_,
       "SELECT worker_id FROM workers WHERE worker_id NOT IN (SELECT owner FROM exec_runs"
       " WHERE status IN ('starting', 'running') AND owner IS NOT NULL"
       " UNION SELECT started_by FROM exec_runs"
       " WHERE status IN ('starting', 'running') AND started_by IS NOT NULL)"},
      {&finish_,
       "UPDATE exec_runs INDEXED BY exec_runs_open SET finished_at = updated_at"
       " WHERE finished_at IS NULL AND status NOT IN ('queued', 'starting', 'running')"
       " AND (owner IS NULL OR owner NOT IN (SELECT worker_id FROM workers))"},
      {&select_before_,
       "SELECT worker_id FROM workers WHERE worker_id < ? AND boot_id = ? AND takes_over = 1"
       " ORDER BY worker_id DESC LIMIT 1"},
      {&select_last_,
       "SELECT worker_id FROM workers WHERE worker_id <> ? AND boot_id = ? AND takes_over = 1"
       " ORDER BY worker_id DESC LIMIT 1"},
  });
}

Status Workers::join(const WorkerRecord& worker, std::int64_t now, Status* refused) {
  look_again();
  WorkerRecord there;
  if (Status status = find(worker.worker_id, &there); !status) return status;
  const bool is_same = there.pid == worker.pid && there.pid_started == worker.pid_started &&
                       there.boot_id == worker.boot_id;
  self_ = worker;
  if (!there.boot_id.empty() && !is_same) {
    // Checked while it is not this worker's own id.
    self_.worker_id.clear();
    bool dead = false;
    if (Status status = is_dead(worker.worker_id, now, &dead); !status) return status;
    if (!dead) {
      *refused = Status::error("worker_exists", "worker " + worker.worker_id + " is process " +
                                                    std::to_string(there.pid) + ", which is alive");
      self_ = {};
      return {};
    }
    self_.worker_id = worker.worker_id;
  }
  if (Status status = note_neighbour(); !status) return status;
  const auto or_now = [now](std::int64_t at) { return at == 0 ? now : at; };
  return put_
      .with(worker.worker_id, worker.pid, worker.pid_started, worker.boot_id, worker.keeper_pid,
            worker.keeper_started, or_now(worker.started_at), or_now(worker.heartbeat_at),
            worker.lease_until, std::int64_t{worker.takes_over})
      .run();
}

Status Workers::check_self(Status* refused) {
  WorkerRecord there;
  if (!self_.worker_id.empty()) {
    if (Status status = find(self_.worker_id, &there); !status) return status;
  }
  if (!there.boot_id.empty()) return {};
  *refused = Status::error("worker_unknown",
                           self_.worker_id.empty()
                               ? "no worker has joined this journal"
                               : "worker " + self_.worker_id + " was declared dead; join again");
  self_ = {};
  return {};
}

Status Workers::renew(std::int64_t now) {
  return renew_.with(now, self_.worker_id).run();
}

Status Workers::heartbeat(const Heartbeat& beat, std::int64_t now, Status* refused) {
  if (Status status = check_self(refused); !status || !*refused) return status;
  return beat_.with(beat.lease_until, beat.keeper_pid, beat.keeper_started, now, self_.worker_id)
      .run();
}

Status Workers::note_neighbour() {
  for (Statement* select : {&select_before_, &select_last_}) {
    const Result<bool> row = select->with(self_.worker_id, self_.boot_id).step();
    if (!row) return row.status();
    if (!*row) continue;
    changes_.workers.insert(select->text(0));
    select->reset();
    break;
  }
  return {};
}

Status Workers::leave() {
  if (Status status = note_neighbour(); !status) return status;
  const std::string id = std::exchange(self_, {}).worker_id;
  if (Status status = retire_.with(id).run(); !status) return status;
  return database_.changes() > 0 ? Status() : remove_.with(id).run();
}

Status Workers::find(const std::string& worker_id, WorkerRecord* worker) {
  *worker = {};
  worker->worker_id = worker_id;
  const Result<bool> row = select_.with(worker_id).step();
  if (!row || !*row) return row.status();
  *worker = worker_of(select_);
  select_.reset();
  return {};
}

Status Workers::is_dead(const std::string& worker_id, std::int64_t now, bool* dead) {
  *dead = worker_id.empty();
  if (*dead || worker_id == self_.worker_id) return {};
  if (const auto judged = judged_.find(worker_id); judged != judged_.end()) {
    *dead = judged->second;
    return {};
  }
  WorkerRecord worker;
  if (Status status = find(worker_id, &worker); !status) return status;
  if (worker.boot_id.empty() || worker.pid == 0) {
    *dead = true;
  } else {
    const std::optional<bool> seen =
        alive_ ? alive_(worker)
               : (worker.boot_id == self_.boot_id ? std::optional(true) : std::nullopt);
    *dead = seen ? !*seen : !lease_holds(worker, now);
  }
  judged_[worker_id] = *dead;
  return {};
}

Status Workers::forget_dead(std::int64_t now) {
  std::vector<std::string> ids;
  for (;;) {
    const Result<bool> row = select_unneeded_.step();
    if (!row) return row.status();
    if (!*row) break;
    ids.push_back(select_unneeded_.text(0));
  }
  for (const std::string& id : ids) {
    bool dead = false;
    if (Status status = is_dead(id, now, &dead); !status) return status;
    if (!dead) continue;
    if (Status status = remove_.with(id).run(); !status) return status;
  }
  // Their runs that have ended get no more items.
  return finish_.run();
}

}  // namespace gibbous
