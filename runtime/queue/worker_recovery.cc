// Worker, what dead workers left: runs are taken over, adopted with their keeper, or settled.
#include <utility>

#include "runtime/process/pid_space.h"
#include "runtime/queue/worker.h"

namespace gibbous {
namespace {

// The pause between two attempts to get runs from a keeper that has another host.
constexpr Nanos kAdoptAgain{1'000'000'000};

}  // namespace

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
        take_orphans(all ? std::vector<std::string>{} : dead);
      });
}

void Worker::recover(const std::vector<std::string>& dead) {
  recovering_ = true;
  take_orphans(dead);
}

// Takes the runs of these workers; without any, of all that are dead.
void Worker::take_orphans(const std::vector<std::string>& dead) {
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
      orphans_.insert_or_assign(id, std::move(orphan));
      (void)resume(id);
    }
  } else {
    known_dead_.clear();  // the next look finds them again
  }
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
  settle();
  claim();
  if (known_dead_.size() > 0) look();  // others may have died meanwhile
  arm();
}

bool Worker::resume(const std::string& run_id) {
  const auto found = orphans_.find(run_id);
  if (found == orphans_.end() || runs_.find(run_id) == nullptr) return false;
  const Orphan orphan = std::move(found->second);
  orphans_.erase(found);
  recorder_.resume(run_id, &orphan.run);
  return true;
}

// A keeper that lives still has the run, and is asked for it again: another process may have taken
// the keeper over, and end before it.
void Worker::settle() {
  if (recovering_) return;
  bool held = false;
  for (auto at = orphans_.begin(); at != orphans_.end();) {
    const Orphan& orphan = at->second;
    const bool keeper_there = is_process_alive(orphan.was.keeper_pid, orphan.was.keeper_started);
    if (keeper_there) {
      held = true;
      ++at;
      continue;
    }
    const Orphan settled = orphan;
    at = orphans_.erase(at);
    if (settled.run.safe_to_repeat || options_.requeue) {
      requeue(settled);
    } else {
      lose(settled);
    }
  }
  if (!held || adopting_ || clock_.now() - adopted_at_ < kAdoptAgain) return;
  adopting_ = true;
  runs_.adopt_detached([this] {
    adopting_ = false;
    adopted_at_ = clock_.now();
  });
}

void Worker::requeue(const Orphan& orphan) {
  (void)journal_->requeue(orphan.run.run_id, mailed<RunRecord>([this](Result<RunRecord> run) {
                            if (!run) return;
                            if (on_settled) on_settled(*run);
                            claim();
                          }));
}

void Worker::lose(const Orphan& orphan) {
  RunRecord run = orphan.run;
  run.status = to_string(RunState::kLost);
  run.error_message = run.error_message.empty()
                          ? "its host ended before it did, and its processes were ended then"
                          : "its host ended before it was started (" + run.error_message + ")";
  if (journal_->put_run(run) != Taken::kYes) {
    orphans_.insert_or_assign(run.run_id, orphan);  // again at the next tick
    return;
  }
  ++run.last_seq;
  (void)journal_->append(run.run_id, {run.last_seq, ItemType::kState, run.status, "", 0});
  if (on_settled) on_settled(run);
  run.finished_at = clock_.wall().count();
  (void)journal_->put_run(run);
  journal_->forget_run(run.run_id);
}

}  // namespace gibbous
