// Workers: the table of the processes that share the journal, and which of them are dead. Used
// within the store's transactions; writer thread only. A returned Status is the database's,
// `refused` is the caller's.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "gibbous/status.h"
#include "runtime/journal/database.h"
#include "runtime/journal/notices.h"
#include "runtime/journal/worker_record.h"

namespace gibbous {

class Workers {
 public:
  Workers(Database& database, WorkerAlive alive) : database_(database), alive_(std::move(alive)) {}
  Status prepare();

  // The worker that this journal joined as; its id is "" when it has not joined.
  const WorkerRecord& self() const { return self_; }
  // A new connection must learn it again.
  void know_self(const WorkerRecord& self) { self_ = self; }

  // Fails with worker_exists: another living process has this id.
  Status join(const WorkerRecord& worker, std::int64_t now, Status* refused);
  // Fails with worker_unknown: it has not joined, or was considered dead and forgotten.
  Status check_self(Status* refused);
  // A worker that claims is alive: its lease now holds for as long again.
  Status renew(std::int64_t now);
  Status heartbeat(const Heartbeat& beat, std::int64_t now, Status* refused);
  // Removes this worker; its runs become orphans. While there are any, it is kept as dead (pid 0),
  // because its keeper may hold them.
  Status leave();

  // Answers of is_dead() are cached until the next call.
  void look_again() { judged_.clear(); }
  // "" and ids that are not in the table are dead; this worker is not.
  Status is_dead(const std::string& worker_id, std::int64_t now, bool* dead);
  // Sets only the id when the table does not have it.
  Status find(const std::string& worker_id, WorkerRecord* worker);
  // Forgets dead workers that started no run in progress.
  Status forget_dead(std::int64_t now);

  // What the current transaction has changed so far.
  QueueChanges& changes() { return changes_; }

 private:
  // Notes the worker that has to watch another one from now on, because this one joins or leaves:
  // the last one before it that takes over, in the order of the ids; before the first is the last.
  Status note_neighbour();

  Database& database_;
  const WorkerAlive alive_;
  WorkerRecord self_;
  Statement put_;
  Statement beat_;
  Statement renew_;
  Statement remove_;
  Statement retire_;
  Statement select_;
  Statement select_unneeded_;
  Statement finish_;
  Statement select_before_;
  Statement select_last_;
  QueueChanges changes_;
  std::unordered_map<std::string, bool> judged_;
};

inline constexpr const char* kWorkerColumns =
    "worker_id, pid, pid_started, boot_id, keeper_pid, keeper_started, started_at, heartbeat_at,"
    " lease_until, takes_over";
WorkerRecord worker_of(const Statement& row);

}  // namespace gibbous
