// Worker, the second half of a claim's life: what dead workers left. Their runs are taken over; one
// that its keeper still has is adopted and goes on, and one that a keeper may have in another
// process is given back to that process. Of every other one the keeper's record says how it ended
// (runtime/keeper/end_record.h): a run that ended by itself gets its true end, and one that was
// interrupted or has no record is queued again or lost.
//
// A run is settled once its keeper cannot have it: the keeper is gone, has told this process all
// that it has, or its record says that the run was not detached; until then processes of the run
// may live. A record counts only for the start that it names, and is removed when the end is on
// disk. Of two processes that take over runs of one host, one may get the record and the other the
// run: the first gives the record back after 1.5 s.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "runtime/keeper/end_record.h"
#include "runtime/process/pid_space.h"
#include "runtime/process/signals.h"
#include "runtime/queue/worker.h"
#include "runtime/runs/describe.h"

namespace gibbous {
namespace {

// A keeper whose host is gone ends its runs in less time, except those that outlive their host.
constexpr Nanos kKeeperPatience{1'500'000'000};
// The pause between two attempts to get such a run from a keeper that has another host.
constexpr Nanos kAdoptAgain{1'000'000'000};
// The time that another worker has to give up a run which this process has.
constexpr Nanos kReleasePatience{30'000'000'000};

// Tells of one run how it ended, and what was left of its keeper's runs.
struct Remains {
  Result<EndRecord> record;
  LeftBehind left;
};
using AllRemains = std::vector<Remains>;

constexpr std::size_t kMaxListed = 10'000;
// In this time a keeper ends a tree whose leader has ended, and cleans up after it.
constexpr Millis kKeeperEnds{30'000};

// A worker that dies before it has recorded its keeper is known by its own process.
bool is_about(const EndRecord& record, const WorkerRecord& was) {
  const auto same = [](const ProcessIdentity& process, std::int64_t pid, std::int64_t started) {
    return pid != 0 && process.pid == pid &&
           process.start_time == static_cast<std::uint64_t>(started);
  };
  return same(record.host, was.pid, was.pid_started) ||
         same(record.keeper, was.keeper_pid, was.keeper_started);
}

bool is_interrupted(const EndRecord& record) {
  return record.cause == EndCause::kHostEnd;
}

// The limit of its time ends a run by a kill.
bool has_timed_out(const RunRecord& run, const EndRecord& record) {
  constexpr std::int64_t kMillis = 1'000;
  return record.cause == EndCause::kKill && run.timeout_secs > 0 && run.started_at > 0 &&
         record.ended_at - run.started_at >= run.timeout_secs * kMillis;
}

RunState state_of_end(const RunRecord& run, const EndRecord& record) {
  if (record.cause == EndCause::kItself) return state_of_exit(record.exit);
  return has_timed_out(run, record) ? RunState::kTimeout : RunState::kKilled;
}

// Returns what the host would have said.
std::string reason_of_end(const RunRecord& run, const EndRecord& record) {
  constexpr std::int64_t kMillis = 1'000;
  if (record.limit) return describe_limit(*record.limit);
  if (has_timed_out(run, record)) {
    return "timed out after " + format_seconds(Millis(run.timeout_secs * kMillis));
  }
  if (record.cause == EndCause::kKill) {
    const bool insisted = record.exit.signal == SIGKILL && record.kill_signal != SIGKILL;
    return insisted ? "killed with SIGKILL, after " + signal_name(record.kill_signal)
                    : "killed with " + signal_name(record.kill_signal);
  }
  const bool completed = state_of_exit(record.exit) == RunState::kCompleted;
  return completed ? "" : describe_exit(record.exit);
}

std::uint64_t behind(std::uint64_t written, std::int64_t recorded) {
  const auto to = static_cast<std::uint64_t>(std::max<std::int64_t>(recorded, 0));
  return written - std::min(written, to);
}

// Returns what is missing in what was recorded; "" when nothing is.
std::string missing_output(const RunRecord& run, const EndRecord& record) {
  const ExitStatus& exit = record.exit;
  const bool counted = record.detached && record.ends_known;
  const std::uint64_t bytes = record.dropped_bytes + behind(exit.out_end, run.stdout_to) +
                              behind(exit.err_end, run.stderr_to);
  if (counted && bytes == 0) return {};
  if (!record.after_host && !counted) {
    return "Its host ended before it recorded this end; the last output may be missing.";
  }
  std::string text = record.after_host ? "Output after the end of its host is not recorded"
                                       : "Its last output is not recorded";
  if (bytes > 0) text += " (" + std::to_string(bytes) + " bytes)";
  return text + ".";
}

constexpr const char* kInterrupted =
    "its host ended before it did, and its processes were ended then";

std::string interrupted_how(const Result<EndRecord>& read, bool known, const LeftBehind& left) {
  if (!left.alive.empty()) {
    std::string how =
        "its host ended before it did; of that host's runs, these processes have "
        "another user's rights and live on:";
    for (const pid_t pid : left.alive) how += " " + std::to_string(pid);
    return how;
  }
  if (left.ended > 0) {
    return "its host and its keeper were killed, and " + std::to_string(left.ended) +
           (left.ended == 1 ? " process that was left was" : " processes that were left were") +
           " ended only now";
  }
  if (known) return std::string(kInterrupted) + ": " + describe_exit(read->exit);
  if (read.status().code() != "end_record_unusable") return kInterrupted;
  return std::string(kInterrupted) +
         " (the record of its end cannot be used: " + read.status().message() + ")";
}

}  // namespace

// What is known of a run that is not here, or whose record is not.
struct Worker::Known {
  std::string run_id;
  Result<RunRecord> row;
  Result<EndRecord> end;
};

// Calls `then` unless the journal has gone meanwhile.
void Worker::look_up_known(std::vector<std::string> ids,
                           std::function<void(const std::vector<Known>&)> then) {
  using All = Result<std::vector<Known>>;
  recording_.look_up<All>(
      [ids = std::move(ids), directory = runs_.options().end_directory](JournalReader& reader) {
        std::vector<Known> all;
        for (const std::string& id : ids) {
          all.push_back({id, reader.run(id), read_end_record(directory, id)});
        }
        return All(std::move(all));
      },
      [this, then = std::move(then)](const All& all) {
        if (all && journal_ != nullptr) then(*all);
      });
}

// --- Taken over -------------------------------------------------------------------------------

// Other workers have taken over what earlier ones left, unless the dead are this worker's to look
// after, or there are no others.
void Worker::recover_if_needed() {
  recovering_ = true;
  NewsQuestion first = question();
  first.begins = true;
  recording_.look_up<Result<QueueNews>>(
      [first](JournalReader& reader) { return read_news(reader, first); },
      [this](const Result<QueueNews>& news) {
        if (journal_ == nullptr) return;
        const bool all = !news || news->alone || news->ownerless;
        const auto dead = news ? note_dead(news->dead) : std::vector<std::string>{};
        if (!all && dead.empty()) return on_orphans(std::vector<Orphan>{});
        recover(all ? std::vector<std::string>{} : dead);
      });
}

// Takes the runs of these workers; without any, of all that are dead.
void Worker::recover(const std::vector<std::string>& dead) {
  recovering_ = true;
  const Taken taken = journal_->take_orphans(
      mailed<std::vector<Orphan>>(
          [this](Result<std::vector<Orphan>> orphans) { on_orphans(std::move(orphans)); }),
      std::set<std::string>(dead.begin(), dead.end()));
  if (taken == Taken::kYes) return;
  recording_.mailbox().post([this] {
    on_orphans(Status::error("journal_full", "the journal accepts nothing at the moment"));
  });
}

void Worker::on_orphans(Result<std::vector<Orphan>> orphans) {
  if (orphans) {
    for (Orphan& orphan : *orphans) {
      const std::string id = orphan.run.run_id;
      const auto [at, is_new] = orphans_.try_emplace(id);
      if (is_new) at->second.since = clock_.now();
      at->second.orphan = std::move(orphan);
      released_.erase(id);
      (void)resume(id);
    }
  } else {
    known_dead_.clear();  // the next look finds them again
  }
  // Another process may hold its keeper's kept runs for as long as it likes: only what the dead
  // left is waited for.
  if (orphans_.empty()) recording_.joined();
  const bool again = std::exchange(orphans_known_, true);
  if (again) {
    runs_.adopt_detached([this] { on_adopted(); });
  } else if (adoption_ != Adoption::kConnecting) {
    on_adopted();
  }
}

void Worker::on_adopted() {
  if (journal_ == nullptr) return;
  recovering_ = false;
  recording_.joined();
  settle();
  drop_stale_records();
  claim();
  if (!known_dead_.empty()) look();  // others may have died meanwhile
  arm();
}

bool Worker::resume(const std::string& run_id) {
  if (runs_.find(run_id) == nullptr) return false;
  const auto found = orphans_.find(run_id);
  if (found != orphans_.end()) {
    const Orphan orphan = std::move(found->second.orphan);
    orphans_.erase(found);
    wanted_.erase(run_id);
    recorder_.resume(run_id, &orphan.run);
    if (orphans_.empty() && orphans_known_) recording_.joined();
    return true;
  }
  if (journal_ == nullptr || !options_.adopt) return false;
  // This process has the run. The worker that has its record gives it back soon.
  wanted_.try_emplace(run_id, clock_.now());
  arm();
  return true;
}

void Worker::seek_wanted() {
  if (wanted_.empty() || recovering_) return;
  std::vector<std::string> ids;
  for (const auto& [id, since] : wanted_) ids.push_back(id);
  look_up_known(std::move(ids), [this](const std::vector<Known>& runs) {
    if (recovering_) return;
    bool foreign = false;
    for (const Known& run : runs) foreign = is_foreign(run.run_id, run.row) || foreign;
    if (foreign) recover({});
  });
}

// Resumes a wanted run whose record no other worker has. Returns whether one has it.
bool Worker::is_foreign(const std::string& run_id, const Result<RunRecord>& row) {
  const auto found = wanted_.find(run_id);
  if (found == wanted_.end()) return false;
  const bool unknown = !row && row.status().code() == "run_not_found";
  if (!row && !unknown) return false;
  const bool own = !unknown && (row->owner == id_ || is_terminal_status(row->status));
  if (!unknown && !own && clock_.now() - found->second < kReleasePatience) return true;
  wanted_.erase(found);
  recorder_.resume(run_id, unknown ? nullptr : &*row);
  return false;
}

// A keeper that lives may have the run, until it has told this process all that it has.
void Worker::settle() {
  if (recovering_) return;
  std::vector<Found> over;
  for (auto at = orphans_.begin(); at != orphans_.end();) {
    const WorkerRecord& was = at->second.orphan.was;
    const Runs::KeeperPlace place = keeper_place(was);
    // A host that is killed just after its first start has not recorded its keeper yet.
    const bool may_come = place == Runs::KeeperPlace::kElsewhere ||
                          (place == Runs::KeeperPlace::kGone && was.keeper_pid == 0);
    if (may_come && clock_.now() - at->second.since < kKeeperPatience) {
      ++at;
      continue;
    }
    over.push_back({std::move(at->second.orphan), place});
    at = orphans_.erase(at);
  }
  if (!over.empty()) settle_by_records(std::move(over));
}

// The process that has a released run may end before it takes the record; its keeper may have had
// no time yet; and it may turn out that the keeper has ended the run.
void Worker::look_after_released() {
  if (released_.empty() || recovering_ || clock_.now() - adopted_at_ < kAdoptAgain) return;
  adopted_at_ = clock_.now();
  std::vector<std::string> ids;
  for (const auto& [id, orphan] : released_) ids.push_back(id);
  look_up_known(std::move(ids), [this](const std::vector<Known>& runs) {
    bool over = false;
    for (const Known& run : runs) {
      const auto found = released_.find(run.run_id);
      if (found == released_.end()) continue;
      const bool has_owner = run.row && !run.row->owner.empty() && run.row->owner != id_;
      const bool taken = has_owner || (run.row && is_terminal_status(run.row->status));
      const bool ended = !taken && !may_be_with_keeper(found->second, run.end);
      over = over || ended;
      if (ended || taken) released_.erase(found);
    }
    if (over && !recovering_) recover({});
    if (!released_.empty()) runs_.adopt_detached(nullptr);
    arm();
  });
}

// --- Settled: no process and no keeper has the run ----------------------------------------------

bool Worker::may_repeat(const RunRecord& run) const {
  if (!run.safe_to_repeat && !options_.requeue) return false;
  const std::int64_t most = run.max_attempts != 0 ? run.max_attempts : options_.limits.max_attempts;
  return most == 0 || run.attempt < most;
}

// The keeper of a run, as far as it is known to be gone; 0 else.
std::uint32_t Worker::lost_keeper(const Found& found, std::vector<ProcessIdentity>& leaders) const {
  const WorkerRecord& was = found.orphan.was;
  // A pid of another boot, or of another machine, is that of another process here.
  if (was.boot_id != pid_space()) return 0;
  if (!options_.processes_of || found.keeper != Runs::KeeperPlace::kGone) return 0;
  const auto lives = [&was](std::int64_t pid, std::int64_t started) {
    return pid == 0 || is_process_alive(was.boot_id, pid, started).value_or(true);
  };
  if (lives(was.keeper_pid, was.keeper_started) || lives(was.pid, was.pid_started)) return 0;
  const RunProcesses processes = options_.processes_of(found.orphan.run);
  if (processes.leader.pid != 0) leaders.push_back(processes.leader);
  return processes.keeper;
}

void Worker::settle_by_records(std::vector<Found> orphans) {
  struct Asked {
    std::string id;
    std::uint32_t keeper;
    std::vector<ProcessIdentity> leaders;
  };
  std::vector<Asked> asked;
  for (const Found& found : orphans) {
    asked.push_back({found.orphan.run.run_id, 0, {}});
    asked.back().keeper = lost_keeper(found, asked.back().leaders);
  }
  recording_.look_up<Result<AllRemains>>(
      [asked, directory = runs_.options().end_directory](JournalReader&) {
        AllRemains all;
        std::map<std::uint32_t, std::vector<ProcessIdentity>> leaders;
        for (const Asked& each : asked) {
          auto& list = leaders[each.keeper];
          list.insert(list.end(), each.leaders.begin(), each.leaders.end());
        }
        std::map<std::uint32_t, LeftBehind> left;
        for (const auto& [keeper, list] : leaders) {
          if (keeper != 0) left[keeper] = end_left_behind(keeper, list);
        }
        for (const Asked& each : asked) {
          all.push_back({read_end_record(directory, each.id), left[each.keeper]});
        }
        return Result<AllRemains>(std::move(all));
      },
      [this, orphans = std::move(orphans)](const Result<AllRemains>& all) {
        if (journal_ == nullptr) return;
        for (std::size_t i = 0; i < orphans.size(); ++i) {
          if (all) {
            settle_one(orphans[i], (*all)[i].record, (*all)[i].left);
          } else {
            look_again(orphans[i].orphan);
          }
        }
        drop_stale_records();
        arm();
      });
}

Runs::KeeperPlace Worker::keeper_place(const WorkerRecord& was) const {
  const auto process = [](std::int64_t pid, std::int64_t started) {
    return ProcessIdentity{static_cast<pid_t>(pid), static_cast<std::uint64_t>(started)};
  };
  return runs_.keeper_place(was.boot_id, process(was.keeper_pid, was.keeper_started),
                            process(was.pid, was.pid_started));
}

bool Worker::may_be_with_keeper(const Orphan& orphan, const Result<EndRecord>& record) const {
  if (keeper_place(orphan.was) != Runs::KeeperPlace::kElsewhere) return false;
  if (!record || !is_about(*record, orphan.was) || record->detached) return true;
  // Its leader has ended. The keeper may still end the rest of its tree, and clean up after it.
  return clock_.wall().count() - record->ended_at < kKeeperEnds.count();
}

void Worker::look_again(const Orphan& orphan) {
  orphans_.insert_or_assign(orphan.run.run_id, Waiting{orphan, clock_.now()});
}

// The process that has the run takes the record; until one does, this one looks after it.
void Worker::release(const Orphan& orphan) {
  if (journal_->release(orphan.run.run_id, nullptr) != Taken::kYes) return look_again(orphan);
  released_[orphan.run.run_id] = orphan;
}

void Worker::settle_one(const Found& found, const Result<EndRecord>& read, const LeftBehind& left) {
  const Orphan& orphan = found.orphan;
  if (runs_.find(orphan.run.run_id) != nullptr) {
    // Its keeper came meanwhile.
    look_again(orphan);
    (void)resume(orphan.run.run_id);
    return;
  }
  if (may_be_with_keeper(orphan, read)) return release(orphan);
  // The keeper may have written the record since, and ended.
  const bool was_there = found.keeper == Runs::KeeperPlace::kElsewhere;
  if (was_there && keeper_place(orphan.was) != found.keeper) return look_again(orphan);
  const bool known = read.ok() && is_about(*read, orphan.was);
  if (known && !is_interrupted(*read)) return give_end(orphan, *read);
  const std::string how = interrupted_how(read, known, left);
  if (may_repeat(orphan.run)) {
    requeue(orphan, how);
  } else {
    lose(orphan, how, known ? &*read : nullptr);
  }
}

void Worker::give_end(const Orphan& orphan, const EndRecord& record) {
  RunRecord run = orphan.run;
  if (run.started_at == 0) run.started_at = record.started_at;
  run.status = to_string(state_of_end(run, record));
  run.has_exit_code = record.exit.signal == 0;
  run.exit_code = run.has_exit_code ? record.exit.code : 0;
  run.error_message = reason_of_end(run, record);
  put_end(orphan, std::move(run), &record);
}

void Worker::lose(const Orphan& orphan, const std::string& how, const EndRecord* record) {
  RunRecord run = orphan.run;
  run.status = to_string(RunState::kLost);
  const bool repeats = run.safe_to_repeat || options_.requeue;
  const std::string attempts =
      repeats ? " (attempt " + std::to_string(run.attempt) + ", the last one)" : "";
  run.error_message = run.error_message.empty()
                          ? how + attempts
                          : "its host ended before it was started (" + run.error_message + ")";
  put_end(orphan, std::move(run), record);
}

void Worker::put_end(const Orphan& orphan, RunRecord run, const EndRecord* record) {
  const Recorder::Group group(recorder_);
  if (journal_->put_run(run) != Taken::kYes) return look_again(orphan);
  const auto add = [&](ItemType type, const std::string& text) {
    ++run.last_seq;
    (void)journal_->append(run.run_id, {run.last_seq, type, text, "", 0});
  };
  const std::string missing = record == nullptr ? "" : missing_output(run, *record);
  if (!missing.empty()) add(ItemType::kNote, missing);
  add(ItemType::kState, run.status);
  if (on_settled) on_settled(run);
  const std::int64_t now = clock_.wall().count();
  const std::int64_t ended = record != nullptr ? record->ended_at : now;
  run.finished_at = std::min(std::max(ended, run.started_at), now);
  (void)journal_->put_run(run, [this, id = run.run_id](const Status& status) {
    if (!status) return;
    recording_.mailbox().post([this, id] { drop_record(id); });
  });
  journal_->forget_run(run.run_id);
}

void Worker::requeue(const Orphan& orphan, const std::string& how) {
  const std::string why = how == kInterrupted ? "" : how;
  const auto on_done = [this](const Result<RunRecord>& run) {
    if (!run) return;
    drop_record(run->run_id);
    if (on_settled) on_settled(*run);
    claim();
  };
  const Taken taken = journal_->requeue(orphan.run.run_id, mailed<RunRecord>(on_done), why);
  if (taken != Taken::kYes) look_again(orphan);
}

void Worker::drop_record(const std::string& run_id) {
  if (journal_ == nullptr || runs_.options().end_directory.empty()) return;
  recording_.look_up<Result<bool>>(
      [run_id, directory = runs_.options().end_directory](JournalReader&) {
        remove_end_record(directory, run_id);
        return Result<bool>(true);
      },
      [](const Result<bool>&) {});
}

// Removes the records of runs that are not in progress: their hosts recorded them after all, or
// their journal is gone.
void Worker::drop_stale_records() {
  if (runs_.options().end_directory.empty()) return;
  recording_.look_up<Result<bool>>(
      [directory = runs_.options().end_directory](JournalReader& reader) {
        for (const std::string& id : list_end_records(directory, kMaxListed)) {
          const Result<RunRecord> run = reader.run(id);
          const bool unknown = !run && run.status().code() == "run_not_found";
          const bool in_progress = run && (run->status == to_string(RunState::kStarting) ||
                                           run->status == to_string(RunState::kRunning));
          if (unknown || (run && !in_progress)) remove_end_record(directory, id);
        }
        return Result<bool>(true);
      },
      [](const Result<bool>&) {});
}

}  // namespace gibbous
