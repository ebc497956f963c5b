// Worker, the first half of a claim's life: a run is queued, claimed by this process or another
// one, executed, and given back when this process may not start it (runtime/journal/queue.h has the
// transactions). worker_orphans.cc has the other half.
#include <algorithm>
#include <utility>

#include "runtime/queue/worker.h"

namespace gibbous {
namespace {

constexpr std::size_t kMaxClaims = 100;
// The worker that queued a run starts it, unless it does not in this time.
constexpr Nanos kOwnerPatience = std::chrono::seconds(1);
constexpr Nanos kPatienceStep = std::chrono::milliseconds(20);
constexpr std::size_t kMaxPatienceSteps = 20;

}  // namespace

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

ClaimScope Worker::scope() const {
  ClaimScope scope{options_.for_all, options_.for_unclaimed, options_.workspace, served_,
                   declined_};
  const Nanos now = clock_.now();
  for (const auto& [run_id, since] : waited_) {
    if (now - since >= kOwnerPatience) scope.overdue.insert(run_id);
  }
  scope.places.of_client = runs_.options().limits.max_concurrent;
  scope.places.of_machine = options_.limits.max_in_all;
  scope.places.of_label = options_.limits.max_of_label;
  for (const auto& [owner, taken] : runs_.active_by_owner()) scope.places.taken[owner] = taken;
  for (const auto& [run_id, run] : claimed_) ++scope.places.taken[run.client];
  scope.places.patient = patience_ends_ && *patience_ends_ <= now;
  return scope;
}

std::string Worker::describe_waiting(const QueuePlace& place) const {
  if (!place.lacks) return {};
  const auto runs = [](std::size_t count, const std::string& of) {
    const std::string many =
        count == 1 ? "1 run of " + of + " is" : std::to_string(count) + " runs of " + of + " are";
    return many + " in progress";
  };
  std::string text = "it waits for a place: ";
  switch (*place.lacks) {
    case PlaceOf::kClient:
      text +=
          runs(runs_.options().limits.max_concurrent, "its session") + " (limits.max_concurrent)";
      break;
    case PlaceOf::kLabel:
      text += "other runs with its label are in progress (limits.max_concurrent_of_label)";
      break;
    case PlaceOf::kMachine:
      text += runs(options_.limits.max_in_all, "all sessions") + " (limits.max_concurrent_total)";
      break;
  }
  if (place.ahead > 0) text += "; others that come first: " + std::to_string(place.ahead);
  return text;
}

void Worker::note_queue(const QueueNews& news) {
  const Nanos now = clock_.now();
  lacks_place_ = news.lacks_place;
  if (lacks_place_) sources_.listen(kTopicOfPlaces);
  if (news.behind == 0) {
    patience_ends_.reset();
  } else if (!patience_ends_ || *patience_ends_ <= now) {
    // The farther behind, the later: so the hosts that come first take the place first.
    const auto steps = static_cast<Nanos::rep>(std::min(news.behind, kMaxPatienceSteps));
    patience_ends_ = now + kPatienceStep * steps;
  }
  attempt_at_ = patience_ends_.value_or(Nanos::max());
  std::map<std::string, Nanos> waited;
  for (const std::string& run_id : news.of_others) {
    const auto known = waited_.find(run_id);
    const Nanos since = known == waited_.end() ? now : known->second;
    waited[run_id] = since;
    if (now - since < kOwnerPatience) attempt_at_ = std::min(attempt_at_, since + kOwnerPatience);
  }
  waited_ = std::move(waited);
}

void Worker::claim() {
  if (journal_ == nullptr || !execute || !options_.claim || recovering_) return;
  if (claiming_) {
    claim_again_ = true;
    return;
  }
  claiming_ = true;
  const Taken taken = journal_->claim(
      kMaxClaims, mailed<std::vector<RunRecord>>([this](Result<std::vector<RunRecord>> claimed) {
        on_claimed(std::move(claimed));
      }),
      scope());
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
  leave_to_others(run_id, why);
  return true;
}

void Worker::leave_to_others(const std::string& run_id, std::string_view why) {
  if (claimed_.erase(run_id) == 0 || journal_ == nullptr) return;
  recorder_.forget(run_id);
  declined_.insert(run_id);
  (void)journal_->requeue(run_id, nullptr, why);
  claim();
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
