// Workers: the table of who shares the journal, and who of them is dead. Within the transactions of
// the store; writer thread only. Statuses that are returned are the database's, `refused` is the
// caller's.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "gibbous/status.h"
#include "runtime/journal/database.h"
#include "runtime/journal/worker_record.h"

namespace gibbous {

class Workers {
 public:
  Workers(Database& database, WorkerAlive alive) : database_(database), alive_(std::move(alive)) {}
  Status prepare();

  // The worker that this journal has joined as; its id is "" when it has not.
  const WorkerRecord& self() const { return self_; }
  // A new connection has to be told.
  void know_self(const WorkerRecord& self) { self_ = self; }

  // worker_exists: another process that lives has this id.
  Status join(const WorkerRecord& worker, std::int64_t now, Status* refused);
  // worker_unknown: it has not joined, or was taken for dead and forgotten.
  Status check_self(Status* refused);
  // Whoever claims is alive: its lease holds from now on for as long as it did before.
  Status renew(std::int64_t now);
  Status heartbeat(const Heartbeat& beat, std::int64_t now, Status* refused);
  // Its runs are orphans from now on.
  Status leave();

  // Answers of is_dead() are remembered until the next call.
  void look_again() { judged_.clear(); }
  // "" and whoever is not in the table are dead, this worker is not.
  Status is_dead(const std::string& worker_id, std::int64_t now, bool* dead);
  // Only the id is set when the table does not hold it.
  Status find(const std::string& worker_id, WorkerRecord* worker);
  // Dead workers that no run that goes on was started by.
  Status forget_dead(std::int64_t now);

 private:
  Database& database_;
  const WorkerAlive alive_;
  WorkerRecord self_;
  Statement put_;
  Statement beat_;
  Statement renew_;
  Statement remove_;
  Statement select_;
  Statement select_unneeded_;
  std::unordered_map<std::string, bool> judged_;
};

inline constexpr const char* kWorkerColumns =
    "worker_id, pid, pid_started, boot_id, keeper_pid, keeper_started, started_at, heartbeat_at,"
    " lease_until";
WorkerRecord worker_of(const Statement& row);

}  // namespace gibbous
