// The writer thread waits for a group to fill, takes all entries and commits them. After an error,
// it keeps them and writes them again through a new connection, at intervals, while the queue fills
// up.
#include <algorithm>
#include <utility>

#include "runtime/base/quiet_thread.h"
#include "runtime/base/state_file.h"
#include "runtime/journal/journal_impl.h"
#include "runtime/journal/notices.h"
#include "runtime/journal/place.h"
#include "runtime/journal/tidy.h"

namespace gibbous {

Journal::Impl::Impl(JournalOptions options, const Clock& clock, Nanos now,
                    std::unique_ptr<BatchWriter> store)
    : options_(std::move(options)), clock_(clock), tidied_(now), store_(std::move(store)) {}

void Journal::Impl::begin(const std::shared_ptr<Impl>& self) {
  // It may have to be given up: then all of this lives until the disk lets it go. A file that grows
  // too large is an error there, not a signal.
  self->thread_ = quiet_thread(kDiskThread, [self] {
    self->write_loop();
    const std::lock_guard lock(self->mutex_);
    self->ended_ = true;
    self->on_ended_.notify_all();
  });
}

Journal::Impl::~Impl() = default;

bool Journal::Impl::end(std::optional<Millis> patience) {
  std::unique_lock lock(mutex_);
  closed_ = true;
  wake_.notify_one();
  const auto has_ended = [this] { return ended_; };
  if (patience) {
    if (!on_ended_.wait_for(lock, *patience, has_ended)) return false;
  } else {
    on_ended_.wait(lock, has_ended);
  }
  lock.unlock();
  if (thread_.joinable()) thread_.join();
  return true;
}

void Journal::Impl::give_up(const Status& status) {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    wake_.notify_one();
  }
  if (thread_.joinable()) thread_.detach();
  owed_.give_up(status);
}

bool Journal::Impl::is_half_full() const {
  return queue_.size() >= options_.max_queue_bytes / 2 ||
         queue_.entries() >= options_.max_queue_entries / 2;
}

bool Journal::Impl::has_work() const {
  return closed_ || hurry_ || tidying_ || !queue_.empty();
}

void Journal::Impl::wait_for_work(std::unique_lock<std::mutex>& lock) {
  if (stats_.degraded) {
    wake_.wait_for(lock, options_.retry_interval, [this] { return closed_ || hurry_; });
    return;
  }
  if (log_due_ && !wake_.wait_for(lock, log_pause_, [this] { return has_work(); })) {
    idle_ = true;
    return;
  }
  wake_.wait(lock, [this] { return has_work(); });
  wake_.wait_for(lock, options_.commit_delay,
                 [this] { return closed_ || hurry_ || tidying_ || is_half_full(); });
}

void Journal::Impl::wait_for_group(std::unique_lock<std::mutex>& lock) {
  if (!grouping_) return;
  group_awaited_ = true;
  wake_.wait_for(lock, kMaxGroupTime, [this] { return closed_ || room_wanted_ || !grouping_; });
  group_awaited_ = false;
}

void Journal::Impl::write_loop() {
  std::unique_lock lock(mutex_);
  for (bool last = false; !last;) {
    wait_for_work(lock);
    wait_for_group(lock);
    last = closed_;
    hurry_ = false;
    bool room = false;
    if (held_.empty()) {
      std::swap(held_, queue_);
      held_through_ = given_;
      held_at_ = newest_;
      room = std::exchange(room_wanted_, false);
    }
    const bool tidying = tidying_ && !last;
    const std::int64_t tidy_now = tidy_now_;
    // During an outage, and with the queue full, there is a second batch.
    last = last && queue_.empty();
    lock.unlock();
    if (room && options_.on_room) options_.on_room();
    if (std::exchange(idle_, false)) truncate_log();
    Applied applied;
    Status status = write_held(&applied);
    bool more = false;
    if (status && tidying) status = tidy_once(tidy_now, &more);
    lock.lock();
    tidying_ = tidying_ && more;
    last = last || (closed_ && !status);
    on_written(lock, status, applied);
  }
  Calls calls;
  drop_rest(&calls);
  const JournalDone on_closed = std::exchange(on_closed_, nullptr);
  const Status problem = stats_.problem;
  lock.unlock();
  if (log_due_) truncate_log();
  store_.reset();
  for (const auto& call : calls) call();
  if (on_closed) on_closed(problem);
}

// After a failed commit, an empty batch is committed too: it shows whether the disk works again.
Status Journal::Impl::write_held(Applied* applied) {
  const bool recovering = store_ == nullptr;
  if (!recovering && held_.empty()) return {};
  Status status = reopen_when_needed();
  if (status) status = store_->apply(held_, held_at_, applied);
  if (!status) {
    store_.reset();
    for (const QueuedRecord& record : held_.records) {
      const auto* run = std::get_if<QueuedRun>(&record.what);
      if (run != nullptr && run->ticket) run->ticket->writing_failed();
    }
    return status;
  }
  remember();
  note_redacted();
  applied->done = true;
  return {};
}

// The log still has the rows as they were.
void Journal::Impl::note_redacted() {
  if (store_->ended().redacted() == 0) return;
  log_due_ = true;
  log_pause_ = kLogPause;
}

// Readers may be in the way: then it is tried again, ever later.
void Journal::Impl::truncate_log() {
  if (store_ == nullptr) return;
  log_due_ = !store_->database().truncate_log();
  log_pause_ = std::min(2 * log_pause_, kMaxLogPause);
}

Status Journal::Impl::reopen_when_needed() {
  if (store_ != nullptr) return {};
  Result<std::unique_ptr<Database>> database =
      open_for_writing(options_.directory, {options_.busy_timeout, options_.wal, options_.on_lost});
  if (!database) return database.status();
  Result<std::unique_ptr<BatchWriter>> store =
      BatchWriter::create(std::move(*database), {options_.max_run_bytes, options_.max_pages},
                          options_.worker_alive, options_.redact_ended);
  if (!store) return store.status();
  store_ = std::move(*store);
  // During an outage, the same is found again and again.
  if (const Status lost = store_->lost(); !lost && lost.message() != told_lost_) {
    told_lost_ = lost.message();
    if (options_.on_lost) options_.on_lost(lost);
  }
  if (Status status = join_again_when_new(); !status) return status;
  for (const auto& [slot, run] : known_) store_->know(slot, run.run_id, run.attempt);
  return {};
}

// A file that was removed is made anew, without this worker. One that has runs may lack it because
// others considered it dead, and then its runs are theirs.
Status Journal::Impl::join_again_when_new() {
  Workers& workers = store_->workers();
  workers.know_self(self_);
  const Result<std::int64_t> runs =
      store_->database().number("SELECT count(*) FROM (SELECT 1 FROM exec_runs LIMIT 1)");
  if (!runs || *runs > 0 || self_.worker_id.empty()) return runs.status();
  Status refused;
  const Status status = workers.join(self_, held_at_, &refused);
  return status ? refused : status;
}

void Journal::Impl::remember() {
  self_ = store_->workers().self();
  for (const QueuedRecord& record : held_.records) {
    if (const auto* run = std::get_if<QueuedRun>(&record.what)) {
      known_[run->slot] = {run->run.run_id, run->run.attempt};
    }
  }
  for (const QueuedRecord& record : held_.records) {
    if (const auto* run = std::get_if<ForgottenRun>(&record.what)) known_.erase(run->slot);
  }
}

Status Journal::Impl::tidy_once(std::int64_t now, bool* more) {
  const TidyLimits limits{options_.max_age.count(), options_.max_total_bytes,
                          options_.queue_ttl.count()};
  store_->forget_mark();
  const Result<bool> step = tidy_step(store_->database(), store_->ended(), limits, now);
  if (step) {
    store_->forget_mark();  // another process may have written one since
    note_redacted();
    *more = *step;
    return {};
  }
  store_.reset();
  return step.status();
}

void Journal::Impl::on_written(std::unique_lock<std::mutex>& lock, const Status& status,
                               const Applied& applied) {
  const bool had_entries = !held_.empty();
  Calls calls;
  // The held entries may be on disk even though a later step of tidying failed.
  if (applied.done || (status && !had_entries)) {
    for (const SettledRun& settled : applied.settled) {
      const auto run = slots_.find(settled.run);
      if (run != slots_.end()) run->second->durable_seq = settled.seq;
    }
    done_ = held_through_;
    stats_.durable_items += applied.stored;
    stats_.not_kept += applied.not_kept;
    stats_.commits += had_entries ? 1 : 0;
    // Before the callers learn of it, so that notices keep the order of what they do next.
    if (!applied.changes.empty()) {
      calls.push_back([this, changes = applied.changes, self = self_.worker_id] {
        send_notices(options_.directory, self, changes);
        if (options_.on_queue_changed) options_.on_queue_changed();
      });
    }
    notify_refused(applied, &calls);
    notify_all(held_, {}, applied, &calls);
    held_.clear();
  }
  if (!status) {
    lock.unlock();
    for (const auto& call : calls) call();
    lock.lock();
    on_failed(lock, status);
    return;
  }
  const bool recovered = std::exchange(stats_.degraded, false);
  stats_.problem = {};
  std::vector<JournalDone> dones;
  std::vector<Flush> later;
  for (Flush& flush : flushes_) {
    if (flush.through > done_) {
      later.push_back(std::move(flush));
    } else {
      dones.push_back(std::move(flush.on_done));
    }
  }
  flushes_ = std::move(later);
  hurry_ = hurry_ || !flushes_.empty();
  if (!tidying_) {
    for (JournalDone& done : std::exchange(tidies_, {})) dones.push_back(std::move(done));
  }
  lock.unlock();
  if (recovered && options_.on_recovered) options_.on_recovered();
  for (const auto& call : calls) call();
  if (had_entries && options_.on_durable) options_.on_durable();
  for (const JournalDone& done : dones) {
    if (done) done({});
  }
  lock.lock();
}

void Journal::Impl::on_failed(std::unique_lock<std::mutex>& lock, const Status& status) {
  const bool is_new = !std::exchange(stats_.degraded, true);
  stats_.problem = status;
  tidying_ = false;
  // Callers that wait for room would wait until the disk works. Call them, so that they try again
  // and learn of the outage.
  const bool room = std::exchange(room_wanted_, false);
  const std::vector<Flush> flushes = std::exchange(flushes_, {});
  const std::vector<JournalDone> tidies = std::exchange(tidies_, {});
  lock.unlock();
  if (is_new && options_.on_problem) options_.on_problem(status);
  if (room && options_.on_room) options_.on_room();
  for (const Flush& flush : flushes) {
    if (flush.on_done) flush.on_done(status);
  }
  for (const JournalDone& tidy : tidies) {
    if (tidy) tidy(status);
  }
  lock.lock();
}

void Journal::Impl::notify_refused(const Applied& applied, Calls* calls) {
  if (!options_.on_refused) return;
  for (const RefusedWrite& refused : applied.refused) {
    calls->push_back([this, refused] { options_.on_refused(refused.run_id, refused.why); });
  }
}

// Notifies the callers that wait for the outcome of an entry.
void Journal::Impl::notify_all(const Batch& batch, const Status& status, const Applied& applied,
                               Calls* calls) {
  std::unordered_map<std::size_t, Status> refused;
  for (const RefusedWrite& each : applied.refused) refused[each.record] = each.why;
  for (std::size_t i = 0; i < batch.records.size(); ++i) {
    if (const auto* run = std::get_if<QueuedRun>(&batch.records[i].what)) {
      if (!run->on_done) continue;
      const auto why = refused.find(i);
      calls->push_back([done = run->on_done, answer = why == refused.end() ? status : why->second] {
        done(answer);
      });
    } else if (const auto* operation = std::get_if<QueuedOperation>(&batch.records[i].what)) {
      calls->push_back([operation = *operation, status] { operation->tell(status); });
    }
  }
}

// Called at the end, under the lock.
void Journal::Impl::drop_rest(Calls* calls) {
  stats_.not_kept += held_.entries() + queue_.entries();
  const Status status =
      Status::error("journal_closed", "the journal was closed before this could be written");
  for (Batch* batch : {&held_, &queue_}) {
    notify_all(*batch, status, {}, calls);
    batch->clear();
  }
}

}  // namespace gibbous
