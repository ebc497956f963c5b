#include "runtime/queue/queued_starts.h"

#include <uv.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "runtime/journal/holder.h"
#include "runtime/journal/journal.h"
#include "runtime/journal/place.h"
#include "runtime/recording/recording.h"

namespace gibbous {
namespace {

constexpr std::uint64_t kStartPatienceMillis = 1'000;

}  // namespace

QueuedStarts::QueuedStarts(uv_loop_s* loop, Recording& recording)
    : loop_(loop), recording_(recording), timer_(new uv_timer_t) {
  uv_timer_init(loop_, timer_);
  timer_->data = this;
  uv_unref(reinterpret_cast<uv_handle_t*>(timer_));
}

QueuedStarts::~QueuedStarts() {
  stop();
}

void QueuedStarts::stop() {
  lifetime_.reset();
  starts_.clear();
  if (timer_ == nullptr) return;
  uv_close(reinterpret_cast<uv_handle_t*>(std::exchange(timer_, nullptr)),
           [](uv_handle_t* handle) noexcept { delete reinterpret_cast<uv_timer_t*>(handle); });
}

void QueuedStarts::add(RunRecord run, Done done) {
  if (timer_ == nullptr) {
    done(Status::error("shutdown", "the runtime is shutting down"));
    return;
  }
  const std::string id = run.run_id;
  uv_update_time(loop_);
  starts_[id] = {std::move(run), std::move(done), uv_now(loop_) + kStartPatienceMillis,
                 std::make_shared<RunTicket>()};
  arm();
  recording_.when_open([this, id, alive = std::weak_ptr<const int>(lifetime_)](const Status& open) {
    if (alive.lock()) on_open(id, open);
  });
}

void QueuedStarts::on_open(const std::string& run_id, const Status& open) {
  const auto found = starts_.find(run_id);
  if (found == starts_.end()) return;
  Journal* journal = recording_.journal();
  if (!open || journal == nullptr) {
    give_up(run_id, open ? Status::error("shutdown", "the runtime is shutting down") : open);
    return;
  }
  const Taken taken = journal->put_run(found->second.run, posted(run_id, &QueuedStarts::finish),
                                       found->second.ticket);
  if (taken == Taken::kWrongUse) {
    finish(run_id, Status::error("invalid_arguments",
                                 "the run cannot be recorded: its command is too long"));
  } else if (taken != Taken::kYes) {
    const Status problem = journal->stats().problem;
    give_up(run_id, problem ? Status::error("journal_full",
                                            "the journal accepts nothing at the "
                                            "moment; try again")
                            : problem);
  } else {
    (void)journal->append(run_id, {1, ItemType::kState, found->second.run.status, "", 0});
    journal->forget_run(run_id);
    // An outage is noticed by the next attempt to write, which this hurries.
    journal->flush(posted(run_id, &QueuedStarts::on_flushed));
  }
}

QueuedStarts::Done QueuedStarts::posted(std::string run_id,
                                        void (QueuedStarts::*then)(const std::string&,
                                                                   const Status&)) {
  return [this, then, id = std::move(run_id), &mailbox = recording_.mailbox(),
          alive = std::weak_ptr<const int>(lifetime_)](const Status& status) {
    mailbox.post([this, then, id, alive, status] {
      if (alive.lock()) (this->*then)(id, status);
    });
  };
}

void QueuedStarts::on_flushed(const std::string& run_id, const Status& status) {
  if (!status) give_up(run_id, status);
}

void QueuedStarts::finish(const std::string& run_id, const Status& status) {
  const auto found = starts_.find(run_id);
  if (found == starts_.end()) return;
  const Done done = std::move(found->second.done);
  starts_.erase(found);
  arm();
  done(status);
}

// A run that is being committed is not given up: the answer to put_run() comes soon.
void QueuedStarts::give_up(const std::string& run_id, const Status& why) {
  const auto found = starts_.find(run_id);
  if (found == starts_.end()) return;
  found->second.is_written = !found->second.ticket->withdraw();
  if (found->second.is_written) return arm();
  const Status reason = why.code() == "journal_busy" ? busy() : why;
  finish(run_id, Status::error(reason.code(),
                               "The command was not queued and will not run: " + reason.message()));
}

void QueuedStarts::cancel(const std::string& run_id) {
  const auto found = starts_.find(run_id);
  if (found == starts_.end()) return;
  (void)found->second.ticket->withdraw();
  starts_.erase(found);
  arm();
}

void QueuedStarts::on_timer() {
  std::vector<std::string> late;
  for (const auto& [id, start] : starts_) {
    if (!start.is_written && start.deadline <= uv_now(loop_)) late.push_back(id);
  }
  const Journal* journal = recording_.journal();
  const Status problem = journal != nullptr ? journal->stats().problem : Status();
  const Status why = late.empty() || !problem ? problem : busy();
  for (const std::string& id : late) give_up(id, why);
  arm();
}

Status QueuedStarts::busy() const {
  const std::string holder = holder_of_journal(recording_.directory());
  return Status::error(
      "journal_busy",
      journal_path(recording_.directory()) + ": " +
          (holder.empty() ? "the file is locked or its disk is slow" : "it is held by " + holder) +
          "; try again when it is free");
}

void QueuedStarts::arm() {
  if (timer_ == nullptr) return;
  std::uint64_t first = 0;
  for (const auto& [id, start] : starts_) {
    if (start.is_written) continue;
    first = first == 0 ? start.deadline : std::min(first, start.deadline);
  }
  uv_timer_stop(timer_);
  if (first == 0) return;
  const std::uint64_t now = uv_now(loop_);
  uv_timer_start(
      timer_,
      [](uv_timer_t* timer) noexcept { static_cast<QueuedStarts*>(timer->data)->on_timer(); },
      first > now ? first - now : 0, 0);
}

}  // namespace gibbous
