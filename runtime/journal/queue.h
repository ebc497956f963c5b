// Queue: the life of a claim, as steps within the transactions of BatchWriter.
//
//   queued            put_run() adds the row: attempt 1, owned by the worker that queued it
//   claimed           claim() makes it `starting`; the claiming worker owns it, and its attempt
//   owned, fenced     may_write() and may_follow() check each write, in the transaction of the
//   write:
//                     a worker that slept while another took the run over writes nothing into it
//   ended             put_run() with a final status; answer_all() ends what was asked of the run
//   or an orphan      its worker died: take_orphans() gives it to one that finds out what became of
//                     it; release() gives it back when a third one has its keeper
//   settled           put_run(), as for any end
//   or requeued       requeue() raises the attempt, which voids what earlier attempts still write
//
// Writer thread only (and kill_request.cc). A returned Status is the database's: it undoes the
// transaction, which is tried again. `refused` is the caller's and final. A step may be applied
// twice, because SQLite may report a failed commit that did happen. What the step chose the first
// time is in its plan, so the second time finds it done.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gibbous/status.h"
#include "runtime/journal/backlog.h"
#include "runtime/journal/database.h"
#include "runtime/journal/queue_choice.h"
#include "runtime/journal/tail_store.h"
#include "runtime/journal/worker_record.h"
#include "runtime/journal/workers.h"

namespace gibbous {

using RunNumbers = std::vector<std::int64_t>;

// A run's owner and status as the file has them.
struct FenceRow {
  std::string status;
  std::string owner;
  std::int64_t attempt = 1;
};

// Checks whether `worker` ("" when none has joined) may write as `attempt`. Fails with
// run_not_owned or run_requeued.
Status may_write(const std::string& run_id, const FenceRow& row, const std::string& worker,
                 std::int64_t attempt);
// Checks whether `status` may follow the stored one. Fails with run_ended or run_started.
Status may_follow(const std::string& run_id, const FenceRow& row, const std::string& status);

class Queue {
 public:
  Queue(Database& database, Workers& workers)
      : database_(database), workers_(workers), backlog_(database, workers), tails_(database) {}
  Status prepare();
  Workers& workers() { return workers_; }
  Backlog& backlog() { return backlog_; }
  TailStore& tails() { return tails_; }

  Status claim(std::size_t most, const ClaimScope& scope, std::int64_t now, RunNumbers* plan,
               std::vector<RunRecord>* claimed, Status* refused);
  // `of`: the workers to examine; without any, all.
  Status take_orphans(const std::set<std::string>& of, std::int64_t now, RunNumbers* plan,
                      std::vector<Orphan>* orphans, Status* refused);
  // Returns the run as it is afterwards: queued, or killed when a kill was requested.
  Status requeue(const std::string& run_id, std::string_view why, std::int64_t now,
                 std::int64_t* planned_attempt, RunRecord* run, Status* refused);

  // Gives up a run in progress of this worker: it has no owner until another worker takes it.
  Status release(const std::string& run_id, std::int64_t now, Status* refused);

  // request->id is the plan.
  Status request_kill(const std::string& run_id, const std::string& signal, std::int64_t now,
                      KillRequest* request, Status* refused);
  Status answer(std::int64_t request_id, const std::string& text, std::int64_t now,
                Status* refused);
  // The run has ended: no other worker will answer its open requests.
  Status answer_all(const std::string& run_id, const std::string& text, std::int64_t now);

  // Keeps nothing for a run that is unknown or belongs to another worker.
  Status add_usage(const std::string& run_id, const UsageSample& sample);

  // Returns false when there is no such run.
  Status find(const std::string& run_id, FenceRow* row, bool* found);
  // Notes a change that put_run() makes to the run that the last find() looked for.
  void note_put(const RunRecord& run, const std::optional<FenceRow>& was);

 private:
  struct Candidate {
    std::int64_t number = 0;
    std::string owner;
    std::string started_by;
    std::string client;
    std::string run_id;
  };
  Status candidates(Statement& select, std::vector<Candidate>* found);
  // The planned runs that belong to this worker.
  Status keep_planned(RunNumbers* plan);
  Status read_run(std::int64_t number, RunRecord* run);
  Status end_as_killed(const std::string& run_id, const char* why, std::int64_t now);
  Status open_request(const std::string& run_id, const std::string& signal, std::int64_t now,
                      KillRequest* request);

  Database& database_;
  Workers& workers_;
  Backlog backlog_;
  TailStore tails_;
  QueueChoice choice_;
  Statement select_going_;
  Statement select_owned_;
  Statement select_run_;
  Statement select_row_;
  Statement claim_;
  Statement take_;
  Statement release_;
  Statement requeue_;
  Statement end_;
  Statement select_request_;
  Statement select_open_;
  Statement insert_request_;
  Statement answer_;
  Statement answer_all_;
  Statement insert_usage_;
  Statement trim_usage_;
  // These describe the row of the last find().
  std::int64_t row_number_ = 0;
  bool row_from_queue_ = false;
  std::string row_client_;
};

}  // namespace gibbous
