// The callback that brings a run's output also delivers the answers found in it, so that a line
// reaches its waiter without a turn of the loop. All others come in the loop's next turn.
#include "runtime/wait/waits.h"

#include <algorithm>
#include <utility>

namespace gibbous {

std::unique_ptr<Waits> Waits::create(uv_loop_s* loop, const Clock& clock, Runs& runs) {
  return std::make_unique<Waits>(loop, clock, runs);
}

Waits::Waits(uv_loop_s* loop, const Clock& clock, Runs& runs)
    : runs_(runs),
      deadlines_(loop, clock),
      ports_(clock, deadlines_),
      context_{{loop, clock, deadlines_, handles_}, runs, ports_, {}} {
  runs_.add_observer(this);
}

Waits::~Waits() {
  if (!closed_) runs_.remove_observer(this);
}

Result<Wait*> Waits::start(WaitSpec spec, std::function<void(WaitResult)> on_done) {
  if (closed_) return Status::error("shutdown", "The runtime is shutting down.");
  WaitOperation::Owner& owner = *this;
  auto operation =
      std::make_unique<WaitOperation>(std::move(spec), context_, owner, std::move(on_done));
  if (Status status = operation->prepare(); !status) return status;
  WaitOperation* started = operation.get();
  operations_.push_back(std::move(operation));
  register_conditions(*started);
  started->begin();
  return static_cast<Wait*>(started);
}

void Waits::post(const HttpUrl& url, std::string_view body,
                 std::function<void(const std::string& trouble)> on_done) {
  if (closed_) return;
  const std::uint64_t number = ++last_post_;
  auto probe = std::make_unique<HttpProbe>(
      context_.probes, url, url.post(body),
      [this, number, on_done = std::move(on_done)](const auto& reached) {
        // The probe is still on the stack.
        const std::string trouble = reached ? "" : posts_.at(number)->trouble();
        deadlines_.after(Nanos{0}, [this, number, on_done, trouble] {
          posts_.erase(number);
          on_done(trouble);
        });
      });
  HttpProbe& started = *(posts_[number] = std::move(probe));
  started.finish();  // one try
}

void Waits::register_conditions(const WaitOperation& operation) {
  for (const auto& condition : operation.conditions()) {
    auto& list = watching_[condition->run()];
    const auto is_exit = [](const PendingCondition* each) {
      return each->kind() == ConditionKind::kExit;
    };
    const auto exits = std::find_if(list.begin(), list.end(), is_exit);
    list.insert(is_exit(condition.get()) ? list.end() : exits, condition.get());
  }
}

void Waits::unregister_conditions(const WaitOperation& operation) {
  for (const auto& condition : operation.conditions()) {
    const auto found = watching_.find(condition->run());
    if (found == watching_.end()) continue;
    std::erase(found->second, condition.get());
    if (found->second.empty()) watching_.erase(found);
  }
}

void Waits::on_state(Run& run) {
  const auto found = watching_.find(&run);
  if (found == watching_.end()) return;
  for (PendingCondition* condition : found->second) condition->on_run_changed();
}

void Waits::listen_fake(Run& run, int port, int status) {
  context_.fakes[run.id()][port] = status;
  on_state(run);
  // A condition that is about no run hears of every fake one.
  const auto found = watching_.find(nullptr);
  if (found == watching_.end()) return;
  for (PendingCondition* condition : found->second) condition->on_run_changed();
}

void Waits::on_readiness(Run& run) {
  on_state(run);
}

void Waits::on_drain(Run& run) {
  on_state(run);
}

void Waits::on_output(Run& run, StreamId stream, Offset from) {
  (void)from;  // each condition knows what it has seen
  const auto found = watching_.find(&run);
  if (found == watching_.end()) return;
  taking_output_ = true;
  for (PendingCondition* condition : found->second) condition->on_output(stream);
  taking_output_ = false;
  if (!answered_.empty()) deliver();
}

void Waits::on_forget(Run& run) {
  context_.fakes.erase(run.id());
  const auto found = watching_.find(&run);
  if (found == watching_.end()) return;
  const auto conditions = std::move(found->second);
  watching_.erase(found);
  for (PendingCondition* condition : conditions) condition->on_run_forgotten();
}

void Waits::on_answered(WaitOperation& operation) {
  answered_.push_back(&operation);
  if (!taking_output_) deliver_soon();
}

void Waits::deliver_soon() {
  if (delivery_ != 0) return;
  delivery_ = deadlines_.after(Nanos{0}, [this] {
    delivery_ = 0;
    deliver();
  });
}

std::unique_ptr<WaitOperation> Waits::take(WaitOperation& operation) {
  unregister_conditions(operation);
  const auto found = std::find_if(operations_.begin(), operations_.end(),
                                  [&](const auto& each) { return each.get() == &operation; });
  auto taken = std::move(*found);
  operations_.erase(found);
  return taken;
}

void Waits::deliver() {
  if (std::exchange(delivering_, true)) return;
  // A callback may start waits, cancel them and close. Answers that it causes wait for the next
  // turn, so that a caller that waits again at once cannot hold up the loop.
  for (std::size_t left = answered_.size(); left > 0 && !answered_.empty(); --left) {
    WaitOperation* operation = answered_.front();
    answered_.erase(answered_.begin());
    const auto taken = take(*operation);
    taken->deliver();
  }
  delivering_ = false;
  if (!answered_.empty()) deliver_soon();
}

void Waits::on_cancelled(WaitOperation& operation) {
  const bool ours = std::any_of(operations_.begin(), operations_.end(),
                                [&](const auto& each) { return each.get() == &operation; });
  if (!ours) return;  // its answer is being delivered
  std::erase(answered_, &operation);
  const auto taken = take(operation);
}

void Waits::close(std::function<void()> on_closed) {
  if (closed_) return;
  closed_ = true;
  posts_.clear();
  runs_.remove_observer(this);
  answered_.clear();
  watching_.clear();
  for (const auto& operation : operations_) operation->stop();
  handles_.opened();  // the handle of the timer
  handles_.when_none(std::move(on_closed));
  deadlines_.close([this] { handles_.closed(); });
}

}  // namespace gibbous
