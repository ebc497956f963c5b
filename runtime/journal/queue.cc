#include "runtime/journal/queue.h"

#include <algorithm>
#include <utility>

#include "runtime/journal/run_row.h"

namespace gibbous {
namespace {

constexpr const char* kEndRun =
    "UPDATE exec_runs SET status = 'killed', error_message = ?2, finished_at = ?3, updated_at = ?3"
    " WHERE run_id = ?1";

Status not_owned(const std::string& run_id, const FenceRow& row) {
  const std::string whose =
      row.owner.empty() ? "without an owner (" + row.status + ")" : "worker " + row.owner + "'s";
  return Status::error("run_not_owned", "run " + run_id + " is " + whose + " now");
}

Status ended(const std::string& run_id, const FenceRow& row) {
  return Status::error("run_ended", "run " + run_id + " has ended: " + row.status);
}

Status no_such_run(const std::string& run_id) {
  return Status::error("run_not_found", "the journal holds no run " + run_id);
}

}  // namespace

Status may_write(const std::string& run_id, const FenceRow& row, const std::string& worker,
                 std::int64_t attempt) {
  if (!row.owner.empty() && row.owner != worker) return not_owned(run_id, row);
  if (row.attempt == attempt) return {};
  return Status::error("run_requeued", "run " + run_id + " is at attempt " +
                                           std::to_string(row.attempt) + " now, this is attempt " +
                                           std::to_string(attempt));
}

Status may_follow(const std::string& run_id, const FenceRow& row, const std::string& status) {
  if (is_terminal_status(row.status) && row.status != status) return ended(run_id, row);
  if (status != "queued" || row.status == "queued") return {};
  return Status::error("run_started", "run " + run_id + " is " + row.status +
                                          "; requeue() puts it back into the queue");
}

Status Queue::prepare() {
  Status status = database_.prepare_all({
      {&select_going_,
       "SELECT number, owner, started_by, client, run_id FROM exec_runs"
       " WHERE status IN ('starting', 'running') ORDER BY number"},
      {&select_owned_,
       "SELECT 1 FROM exec_runs WHERE number = ? AND owner = ?"
       " AND status IN ('starting', 'running')"},
      {&select_run_, std::string(kSelectRun).append(" WHERE number = ?")},
      {&select_row_,
       "SELECT number, status, owner, attempt, from_queue, client FROM exec_runs"
       " WHERE run_id = ?"},
      {&claim_,
       "UPDATE exec_runs SET status = 'starting', owner = ?2, started_by = ?2, updated_at = ?3,"
       " error_message = NULL"
       " WHERE number = ?1"},
      {&take_,
       "UPDATE exec_runs SET owner = ?2, started_by = ?3, updated_at = ?4 WHERE number = ?1"},
      {&release_,
       "UPDATE exec_runs SET owner = NULL, updated_at = ?3"
       " WHERE run_id = ?1 AND owner = ?2 AND status IN ('starting', 'running')"},
      {&requeue_,
       "UPDATE exec_runs SET status = 'queued', owner = NULL, started_by = NULL,"
       " attempt = attempt + 1, stdout_to = 0, stderr_to = 0, updated_at = ?2,"
       " queued_at = iif(started_at IS NULL, queued_at, ?2), started_at = NULL,"
       " error_message = nullif(?3, '') WHERE run_id = ?1"},
      {&end_, kEndRun},
      {&select_request_, "SELECT answered_at FROM run_requests WHERE id = ? AND run_id = ?"},
      {&select_open_,
       "SELECT id, argument FROM run_requests"
       " WHERE run_id = ? AND answered_at IS NULL AND kind = 'kill' ORDER BY id"},
      {&insert_request_,
       "INSERT INTO run_requests (run_id, kind, argument, created_at) VALUES (?, 'kill', ?, ?)"
       " RETURNING id"},
      {&answer_,
       "UPDATE run_requests SET answered_at = ?, answer = ? WHERE id = ? AND answered_at IS NULL"},
      {&answer_all_,
       "UPDATE run_requests SET answered_at = ?, answer = ?"
       " WHERE run_id = ? AND answered_at IS NULL"},
      {&insert_usage_, "INSERT OR REPLACE INTO run_usage VALUES (?, ?, ?, ?, ?)"},
      {&trim_usage_, "DELETE FROM run_usage WHERE number = ? AND at < ?"},
  });
  if (status) status = choice_.prepare(database_);
  if (status) status = tails_.prepare();
  return status ? backlog_.prepare() : status;
}

Status Queue::find(const std::string& run_id, FenceRow* row, bool* found) {
  const Result<bool> there = select_row_.with(run_id).step();
  if (!there) return there.status();
  *found = *there;
  if (!*there) return {};
  row_number_ = select_row_.integer(0);
  row_from_queue_ = select_row_.integer(4) != 0;
  row_client_ = select_row_.text(5);
  *row = {select_row_.text(1), select_row_.text(2), select_row_.integer(3)};
  select_row_.reset();
  return {};
}

void Queue::note_put(const RunRecord& run, const std::optional<FenceRow>& was) {
  const bool ends = was && was->status != run.status && is_terminal_status(run.status);
  const bool moves = was ? row_from_queue_ && was->status != run.status : run.status == "queued";
  if (moves || ends) workers_.changes().clients.insert(run.client);
  if (ends) workers_.changes().frees_place = true;
}

Status Queue::candidates(Statement& select, std::vector<Candidate>* found) {
  for (;;) {
    const Result<bool> row = select.step();
    if (!row || !*row) return row.status();
    found->push_back(
        {select.integer(0), select.text(1), select.text(2), select.text(3), select.text(4)});
  }
}

Status Queue::keep_planned(RunNumbers* plan) {
  RunNumbers kept;
  for (const std::int64_t number : *plan) {
    const Result<bool> row = select_owned_.with(number, workers_.self().worker_id).step();
    if (!row) return row.status();
    if (*row) kept.push_back(number);
    select_owned_.reset();
  }
  *plan = std::move(kept);
  return {};
}

Status Queue::read_run(std::int64_t number, RunRecord* run) {
  const Result<bool> row = select_run_.with(number).step();
  if (!row || !*row) return row.status();
  *run = run_of(select_run_);
  select_run_.reset();
  return {};
}

Status Queue::claim(std::size_t most, const ClaimScope& scope, std::int64_t now, RunNumbers* plan,
                    std::vector<RunRecord>* claimed, Status* refused) {
  workers_.look_again();
  Status status = workers_.check_self(refused);
  if (!status || !*refused) return status;
  status = keep_planned(plan);
  if (!status) return status;
  const std::size_t free = most - std::min(most, plan->size());
  const Result<QueueChoices> choices =
      choice_.choose(scope, free, [&](const QueueHead& head) -> Result<bool> {
        if (head.owner == workers_.self().worker_id) return true;
        if (scope.overdue.count(head.run_id) != 0) return true;
        bool dead = false;
        if (Status looked = workers_.is_dead(head.owner, now, &dead); !looked) return looked;
        return dead;
      });
  if (!choices) return choices.status();
  for (const QueueHead& head : choices->now) {
    claim_.with(head.number, workers_.self().worker_id, now);
    if (status = claim_.run(); !status) return status;
    workers_.changes().clients.insert(head.client);
    plan->push_back(head.number);
  }
  claimed->assign(plan->size(), {});
  for (std::size_t i = 0; i < plan->size(); ++i) {
    if (status = read_run((*plan)[i], &(*claimed)[i]); !status) return status;
  }
  return plan->empty() ? Status() : workers_.renew(now);
}

Status Queue::take_orphans(const std::set<std::string>& of, std::int64_t now, RunNumbers* plan,
                           std::vector<Orphan>* orphans, Status* refused) {
  workers_.look_again();
  Status status = workers_.check_self(refused);
  if (!status || !*refused) return status;
  status = keep_planned(plan);
  std::vector<Candidate> going;
  if (status) status = candidates(select_going_, &going);
  if (!status) return status;
  const std::string& self = workers_.self().worker_id;
  orphans->clear();
  for (const Candidate& run : going) {
    bool orphan = std::find(plan->begin(), plan->end(), run.number) != plan->end();
    if (!orphan && !of.empty() && of.count(run.owner) == 0) continue;
    if (!orphan) status = workers_.is_dead(run.owner, now, &orphan);
    if (!status) return status;
    if (!orphan) continue;
    const std::string& started_by = run.started_by.empty() ? run.owner : run.started_by;
    take_.with(run.number, self, started_by, now);
    if (status = take_.run(); !status) return status;
    if (status = tails_.take(run.number, now); !status) return status;
    workers_.changes().clients.insert(run.client);
    Orphan& taken = orphans->emplace_back();
    if (status = read_run(run.number, &taken.run); !status) return status;
    if (status = workers_.find(started_by, &taken.was); !status) return status;
    if (std::find(plan->begin(), plan->end(), run.number) == plan->end()) {
      plan->push_back(run.number);
    }
  }
  if (!orphans->empty()) status = workers_.renew(now);
  return status ? workers_.forget_dead(now) : status;
}

Status Queue::release(const std::string& run_id, std::int64_t now, Status* refused) {
  const Status status = release_.with(run_id, workers_.self().worker_id, now).run();
  if (status && database_.changes() == 0) {
    *refused = Status::error("run_not_owned", "run " + run_id + " is not this worker's");
  }
  return status;
}

Status Queue::requeue(const std::string& run_id, std::string_view why, std::int64_t now,
                      std::int64_t* planned_attempt, RunRecord* run, Status* refused) {
  FenceRow row;
  bool found = false;
  if (Status status = find(run_id, &row, &found); !status) return status;
  const std::int64_t number = row_number_;
  const bool done = *planned_attempt != 0 && row.attempt == *planned_attempt;
  if (!found) {
    *refused = no_such_run(run_id);
    return {};
  }
  if (!done) {
    if (is_terminal_status(row.status)) {
      *refused = ended(run_id, row);
    } else if (row.owner != workers_.self().worker_id || row.status == "queued") {
      *refused = not_owned(run_id, row);
    }
    if (!*refused) return {};
    *planned_attempt = row.attempt + 1;
    requeue_.with(run_id, now, why);
    if (Status status = requeue_.run(); !status) return status;
    workers_.changes().clients.insert(row_client_);
    workers_.changes().frees_place = true;
    const Result<bool> open = select_open_.with(run_id).step();
    if (!open) return open.status();
    if (*open) {
      select_open_.reset();
      if (Status status = end_as_killed(run_id, "killed before it was repeated", now); !status) {
        return status;
      }
    }
  }
  return read_run(number, run);
}

Status Queue::end_as_killed(const std::string& run_id, const char* why, std::int64_t now) {
  const Status status = end_.with(run_id, std::string_view(why), now).run();
  return status ? answer_all(run_id, "killed", now) : status;
}

Status Queue::request_kill(const std::string& run_id, const std::string& signal, std::int64_t now,
                           KillRequest* request, Status* refused) {
  if (request->id != 0) {
    const Result<bool> there = select_request_.with(request->id, run_id).step();
    if (!there) return there.status();
    select_request_.reset();
    if (*there) return {};
  }
  *request = {};
  FenceRow row;
  bool found = false;
  if (Status status = find(run_id, &row, &found); !status) return status;
  if (!found) {
    *refused = no_such_run(run_id);
  } else if (is_terminal_status(row.status)) {
    *refused = ended(run_id, row);
  }
  if (!*refused) return {};
  if (Status status = open_request(run_id, signal, now, request); !status) return status;
  request->killed = row.status == "queued";
  if (request->killed) {
    workers_.changes().clients.insert(row_client_);
  } else {
    workers_.changes().workers.insert(row.owner);
  }
  return request->killed ? end_as_killed(run_id, "killed while it was queued", now) : Status();
}

// Repeating a request does not make a second one.
Status Queue::open_request(const std::string& run_id, const std::string& signal, std::int64_t now,
                           KillRequest* request) {
  select_open_.with(run_id);
  for (;;) {
    const Result<bool> open = select_open_.step();
    if (!open) return open.status();
    if (!*open) break;
    if (select_open_.bytes(1) == signal) request->id = select_open_.integer(0);
  }
  if (request->id != 0) return {};
  const Result<bool> made = insert_request_.with(run_id, signal, now).step();
  if (!made) return made.status();
  request->id = insert_request_.integer(0);
  // Step to the end, because only then is the row stored.
  const Result<bool> more = insert_request_.step();
  return more.status();
}

Status Queue::answer(std::int64_t request_id, const std::string& text, std::int64_t now,
                     Status* refused) {
  const Status status = answer_.with(now, text, request_id).run();
  if (status && database_.changes() == 0) {
    *refused = Status::error("request_not_found",
                             "no request " + std::to_string(request_id) + " waits for an answer");
  }
  return status;
}

Status Queue::answer_all(const std::string& run_id, const std::string& text, std::int64_t now) {
  return answer_all_.with(now, text, run_id).run();
}

Status Queue::add_usage(const std::string& run_id, const UsageSample& sample) {
  FenceRow row;
  bool found = false;
  if (Status status = find(run_id, &row, &found); !status) return status;
  if (!found || !may_write(run_id, row, workers_.self().worker_id, row.attempt)) return {};
  const Status status =
      insert_usage_.with(row_number_, sample.at, sample.rss_bytes, sample.cpu_ms, sample.processes)
          .run();
  if (!status) return status;
  return trim_usage_.with(row_number_, sample.at - kUsageWindowMs).run();
}

}  // namespace gibbous
