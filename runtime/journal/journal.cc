// The callers' side: checks, a copy into the queue, counters. The thread is in journal_writer.cc.
#include "runtime/journal/journal.h"

#include <system_error>
#include <utility>

#include "runtime/journal/journal_impl.h"
#include "runtime/journal/place.h"
#include "runtime/journal/segment.h"

namespace gibbous {
namespace {

// Even a queue that is full of output keeps this much room for rare and important entries.
constexpr std::size_t kReservedPart = 8;

bool fits(const std::string& word) {
  return word.size() <= kMaxJournalIdBytes;
}

std::size_t text_bytes(const RunRecord& run) {
  return run.run_id.size() + run.session_id.size() + run.client.size() + run.workspace.size() +
         run.status.size() + run.command.size() + run.watch_json.size() + run.error_message.size() +
         run.meta_json.size() + run.owner.size() + run.request_id.size();
}

}  // namespace

Taken Journal::Impl::room_for(std::size_t bytes, bool is_item) {
  if (closed_) return Taken::kWrongUse;
  const auto part = [is_item](std::size_t of) { return is_item ? of - of / kReservedPart : of; };
  if (queue_.empty() || (queue_.size() + bytes <= part(options_.max_queue_bytes) &&
                         queue_.entries() < part(options_.max_queue_entries))) {
    return Taken::kYes;
  }
  if (stats_.degraded) {
    ++stats_.not_kept;
    return Taken::kNotKept;
  }
  room_wanted_ = true;
  return Taken::kFull;
}

void Journal::Impl::wake_for_entry(bool was_empty) {
  ++given_;
  // The thread sleeps until the queue has an entry, then until it has many.
  if (was_empty || is_half_full()) wake_.notify_one();
}

void Journal::Impl::record(std::size_t bytes, QueuedRecord what) {
  const bool was_empty = queue_.empty();
  what.before_item = queue_.items.size();
  queue_.records.push_back(std::move(what));
  queue_.record_bytes += bytes;
  wake_for_entry(was_empty);
}

Taken Journal::put_run(const RunRecord& run, JournalDone on_done,
                       std::shared_ptr<RunTicket> ticket) {
  Impl& my = *impl_;
  const std::size_t bytes = text_bytes(run);
  if (run.run_id.empty() || !fits(run.run_id) || !fits(run.session_id) || !fits(run.client) ||
      run.workspace.size() > kMaxJournalTextBytes / 4 || !fits(run.status) || !fits(run.owner) ||
      !fits(run.request_id) || run.attempt < 1 || bytes > kMaxJournalTextBytes) {
    return Taken::kWrongUse;
  }
  const std::int64_t now = my.wall();
  const std::lock_guard lock(my.mutex_);
  my.newest_ = now;
  if (const Taken taken = my.room_for(bytes + kRecordOverhead, false); taken != Taken::kYes) {
    return taken;
  }
  const auto [entry, is_new] = my.runs_.try_emplace(run.run_id);
  if (is_new) {
    entry->second.slot = my.next_slot_++;
    my.slots_[entry->second.slot] = &entry->second;
  }
  my.record(
      bytes + kRecordOverhead,
      {0, QueuedRun{entry->second.slot, run, my.owed_.owe(std::move(on_done)), std::move(ticket)}});
  my.tidy_when_due();
  return Taken::kYes;
}

void Journal::Impl::tidy_when_due() {
  const Nanos now = clock_.now();
  if (tidying_ || now - tidied_ < options_.tidy_interval) return;
  tidied_ = now;
  tidying_ = true;
  tidy_now_ = wall();
}

Taken Journal::append(std::string_view run_id, const JournalItem& item) {
  Impl& my = *impl_;
  const std::size_t bytes = item.payload.size() + item.meta.size();
  if (bytes > kMaxItemBytes || item.seq == 0 || item.seq > kMaxSeq) return Taken::kWrongUse;
  const std::int64_t at = item.created_at != 0 ? item.created_at : my.wall();
  const std::lock_guard lock(my.mutex_);
  const auto run = my.runs_.find(run_id);
  if (run == my.runs_.end() || item.seq <= run->second.last_seq) return Taken::kWrongUse;
  if (const Taken taken = my.room_for(bytes, true); taken != Taken::kYes) return taken;
  run->second.last_seq = item.seq;
  my.newest_ = at;
  const bool was_empty = my.queue_.empty();
  my.queue_.items.push_back({run->second.slot, item.type, item.seq, at, my.queue_.bytes.size(),
                             item.payload.size(), item.meta.size(), item.stdout_to,
                             item.stderr_to});
  my.queue_.bytes.append(item.payload).append(item.meta);
  my.wake_for_entry(was_empty);
  return Taken::kYes;
}

Taken Journal::save_tail(std::string_view run_id, const std::vector<StoredItem>& items,
                         std::int64_t stdout_to, std::int64_t stderr_to) {
  SegmentBuilder segment;
  std::uint64_t seq = 0;
  std::size_t size = 0;
  for (const StoredItem& item : items) size += item.payload.size() + item.meta.size();
  segment.reserve(size);
  for (const StoredItem& item : items) {
    segment.add({++seq, item.type, item.payload, item.meta, item.created_at});
  }
  if (segment.empty() || segment.data().size() > kMaxTailBytes) return Taken::kWrongUse;
  segment.finish();
  RunTail tail{std::string(run_id),
               segment.created_at(),
               std::string(segment.items()),
               segment.take_data(),
               stdout_to,
               stderr_to};
  const std::size_t bytes = run_id.size() + tail.items.size() + tail.data.size();
  return impl_->put(std::move(tail), bytes);
}

std::uint64_t Journal::durable_seq(std::string_view run_id) const {
  Impl& my = *impl_;
  const std::lock_guard lock(my.mutex_);
  const auto run = my.runs_.find(run_id);
  return run == my.runs_.end() ? 0 : run->second.durable_seq;
}

void Journal::forget_run(std::string_view run_id) {
  Impl& my = *impl_;
  const std::lock_guard lock(my.mutex_);
  const auto run = my.runs_.find(run_id);
  if (run == my.runs_.end()) return;
  const RunSlot slot = run->second.slot;
  my.slots_.erase(slot);
  my.runs_.erase(run);
  // The number of runs bounds this, so it needs no limit of its own.
  if (!my.closed_) my.record(kRecordOverhead, {0, ForgottenRun{slot}});
}

void Journal::begin_group() {
  Impl& my = *impl_;
  const std::lock_guard lock(my.mutex_);
  my.grouping_ = true;
}

void Journal::end_group() {
  Impl& my = *impl_;
  const std::lock_guard lock(my.mutex_);
  my.grouping_ = false;
  if (my.group_awaited_) my.wake_.notify_one();
}

void Journal::flush(JournalDone on_done) {
  Impl& my = *impl_;
  on_done = my.owed_.owe(std::move(on_done));
  {
    const std::lock_guard lock(my.mutex_);
    if (!my.closed_) {
      my.flushes_.push_back({my.given_, std::move(on_done)});
      my.hurry_ = true;
      my.wake_.notify_one();
      return;
    }
  }
  if (on_done) on_done(Status::error("journal_closed", "the journal is closed"));
}

void Journal::tidy(JournalDone on_done) {
  Impl& my = *impl_;
  const std::int64_t now = my.wall();
  on_done = my.owed_.owe(std::move(on_done));
  {
    const std::lock_guard lock(my.mutex_);
    if (!my.closed_) {
      my.tidies_.push_back(std::move(on_done));
      my.tidying_ = true;
      my.tidy_now_ = now;
      my.hurry_ = true;
      my.wake_.notify_one();
      return;
    }
  }
  if (on_done) on_done(Status::error("journal_closed", "the journal is closed"));
}

void Journal::close(JournalDone on_done) {
  Impl& my = *impl_;
  on_done = my.owed_.owe(std::move(on_done));
  {
    const std::lock_guard lock(my.mutex_);
    if (!std::exchange(my.closed_, true)) {
      my.on_closed_ = std::move(on_done);
      my.wake_.notify_one();
      return;
    }
  }
  if (on_done) on_done(Status::error("journal_closed", "the journal is closed already"));
}

JournalStats Journal::stats() const {
  Impl& my = *impl_;
  const std::lock_guard lock(my.mutex_);
  JournalStats stats = my.stats_;
  stats.queued_entries = my.queue_.entries();
  stats.queued_bytes = my.queue_.size();
  stats.unwritten_entries = my.queue_.entries() + my.held_.entries();
  return stats;
}

Journal::Journal(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
Journal::~Journal() {
  if (!given_up_) (void)impl_->end(std::nullopt);
}

bool Journal::end(Millis patience) {
  return impl_->end(patience);
}

void Journal::give_up(const Status& why) {
  given_up_ = true;
  impl_->give_up(why);
}

Result<std::unique_ptr<Journal>> Journal::create(JournalOptions options, const Clock& clock) {
  // The caller may give this up while the disk holds it, and the clock dies with the caller: read
  // it now.
  const Nanos began = clock.now();
  if (options.on_new && !journal_exists(options.directory)) options.on_new();
  Result<std::unique_ptr<Database>> database =
      open_for_writing(options.directory, {options.busy_timeout, options.wal, options.on_lost});
  if (!database) return database.status();
  Result<std::unique_ptr<BatchWriter>> store =
      BatchWriter::create(std::move(*database), {options.max_run_bytes, options.max_pages},
                          options.worker_alive, options.redact_ended);
  if (!store) return store.status();
  if (const Status lost = (*store)->lost(); !lost && options.on_lost) options.on_lost(lost);
  const std::string file = options.directory;
  try {
    auto impl = std::make_shared<Impl>(std::move(options), clock, began, std::move(*store));
    Impl::begin(impl);
    return std::unique_ptr<Journal>(new Journal(std::move(impl)));
  } catch (const std::system_error& error) {
    return Status::error("journal_unusable",
                         file + ": its writer cannot be started: " + error.code().message());
  }
}

Taken Journal::add_decision(const DecisionRecord& decision) {
  DecisionRecord copy = decision;
  if (copy.created_at == 0) copy.created_at = impl_->wall();
  const std::size_t bytes = copy.session_id.size() + copy.run_id.size() + copy.decision.size() +
                            copy.rule.size() + copy.record_json.size();
  return impl_->put(std::move(copy), bytes);
}

Taken Journal::put_call(const HostCallRecord& call) {
  if (call.call_id.empty() || call.call_id.size() > kMaxJournalIdBytes) return Taken::kWrongUse;
  HostCallRecord copy = call;
  if (copy.started_at == 0) copy.started_at = impl_->wall();
  const std::size_t bytes = copy.call_id.size() + copy.session_id.size() + copy.workspace.size() +
                            copy.tool.size() + copy.outcome.size() + copy.pid_space.size();
  return impl_->put(std::move(copy), bytes);
}

Taken Journal::add_backlog(const BacklogMessage& message) {
  if (message.seq == 0 || message.seq > kMaxSeq) return Taken::kWrongUse;
  BacklogMessage copy = message;
  if (copy.created_at == 0) copy.created_at = impl_->wall();
  const std::size_t bytes =
      copy.session_id.size() + copy.run_id.size() + copy.event.size() + copy.payload.size();
  return impl_->put(std::move(copy), bytes);
}

Taken Journal::drain_backlog(std::string_view session_id, std::uint64_t through_seq) {
  if (through_seq > kMaxSeq) return Taken::kWrongUse;
  return impl_->put(DrainedBacklog{std::string(session_id), through_seq}, session_id.size());
}

}  // namespace gibbous
