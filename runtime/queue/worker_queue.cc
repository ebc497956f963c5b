// Worker, the queue: what this process puts into it, claims from it, gives back, and watches.
#include <utility>

#include "runtime/queue/worker.h"

namespace gibbous {

void Worker::serve(const std::string& client) {
  if (!served_.insert(client).second) return;
  sources_.listen(topic_of_client(client));
  look();
}

void Worker::enqueue(RunRecord run, const std::function<void(const Status&)>& on_done) {
  // This process now handles the runs before it in the queue.
  if (queued_here_.insert(run.client).second) declined_.clear();
  run.workspace = options_.workspace;
  run.owner = id_;
  run.status = to_string(RunState::kQueued);
  run.queued_at = clock_.wall().count();
  run.last_seq = 0;
  const std::string id = run.run_id;
  enqueued_.insert(id);
  starts_.add(std::move(run), [this, id, on_done](const Status& status) {
    if (!status) enqueued_.erase(id);
    on_done(status);
    if (status) claim();
  });
}

void Worker::cancel_enqueue(const std::string& run_id) {
  starts_.cancel(run_id);
}

bool Worker::is_inherited(const RunRecord& run) const {
  const bool waits = run.status == to_string(RunState::kQueued);
  return inherited_.count(run.run_id) != 0 || (waits && enqueued_.count(run.run_id) == 0);
}

std::size_t Worker::free_places() const {
  const std::size_t taken = runs_.active() + claimed_.size();
  const std::size_t most = runs_.options().limits.max_concurrent;
  return taken < most ? most - taken : 0;
}

void Worker::claim() {
  if (journal_ == nullptr || !execute || !options_.claim || recovering_) return;
  if (claiming_) {
    claim_again_ = true;
    return;
  }
  const std::size_t places = free_places();
  if (places == 0) return;
  claiming_ = true;
  const Taken taken = journal_->claim(
      places, mailed<std::vector<RunRecord>>([this](Result<std::vector<RunRecord>> claimed) {
        on_claimed(std::move(claimed));
      }),
      ClaimScope{options_.for_all, options_.for_unclaimed, options_.workspace, served_, declined_});
  if (taken != Taken::kYes) claiming_ = false;  // the next tick tries again
}

void Worker::on_claimed(Result<std::vector<RunRecord>> claimed) {
  claiming_ = false;
  const bool again = std::exchange(claim_again_, false);
  if (!claimed) return;
  for (const RunRecord& run : *claimed) {
    claimed_[run.run_id] = run;
    if (enqueued_.erase(run.run_id) == 0) inherited_.insert(run.run_id);
    recorder_.expect(run);
  }
  for (const RunRecord& run : *claimed) execute(run);
  if (again) claim();
}

void Worker::fail(const std::string& run_id, const Status& why) {
  const auto found = claimed_.find(run_id);
  if (found == claimed_.end() || journal_ == nullptr) return;
  RunRecord run = std::move(found->second);
  claimed_.erase(found);
  inherited_.erase(run_id);
  recorder_.forget(run_id);
  run.status = to_string(RunState::kFailed);
  run.error_message = why.message();
  (void)journal_->put_run(run);
  (void)journal_->append(run_id, {run.last_seq + 1, ItemType::kState, run.status, "", 0});
  run.last_seq += 1;
  run.finished_at = clock_.wall().count();
  (void)journal_->put_run(run);
  journal_->forget_run(run_id);
  if (on_settled) on_settled(run);
  claim();
  notify_queue_listeners();
}

bool Worker::decline(const std::string& run_id, std::string_view why) {
  const auto found = claimed_.find(run_id);
  if (found == claimed_.end() || journal_ == nullptr) return false;
  if (queued_here_.count(found->second.client) != 0) return false;
  claimed_.erase(found);
  recorder_.forget(run_id);
  declined_.insert(run_id);
  (void)journal_->requeue(run_id, nullptr, why);
  claim();
  return true;
}

int Worker::add_queue_listener(std::function<void()> changed) {
  queue_listeners_.emplace(++last_listener_, std::move(changed));
  return last_listener_;
}

void Worker::remove_queue_listener(int listener) {
  queue_listeners_.erase(listener);
}

void Worker::notify_queue_listeners() {
  const auto listeners = queue_listeners_;  // one may end itself, or begin another
  for (const auto& [listener, changed] : listeners) {
    if (queue_listeners_.count(listener) != 0) changed();
  }
}

}  // namespace gibbous
