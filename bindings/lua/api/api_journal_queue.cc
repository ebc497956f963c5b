// journal.queue: where a run is in the queue, and waiting until it has left it.
#include "bindings/lua/api/api_journal.h"

#include <lua.hpp>
#include <memory>
#include <utility>

#include "bindings/lua/api/record_value.h"
#include "bindings/lua/call/call.h"
#include "bindings/lua/call/context.h"
#include "bindings/lua/call/task.h"
#include "bindings/lua/vm/error.h"
#include "bindings/lua/vm/one_shot_timer.h"
#include "runtime/output/text.h"
#include "runtime/queue/worker.h"
#include "runtime/recording/recording.h"

namespace gibbous::lua {
namespace {

// Looks at the queue, then again whenever it changes, until the run has left it or the time is up.
class QueueWait : public std::enable_shared_from_this<QueueWait> {
 public:
  QueueWait(const Effect& effect, std::string id, Millis limit)
      : effect_(effect), context_(effect.context), id_(std::move(id)), limit_(limit) {}

  void begin() {
    look();
    if (limit_ == Millis{0}) return;
    listener_ = context_.worker->add_queue_listener([this] { look(); });
    timer_.start(context_.loop, limit_, /*background=*/false, [this] {
      is_late_ = true;
      look();
    });
  }

  void end() {
    is_over_ = true;
    if (listener_ != 0) context_.worker->remove_queue_listener(std::exchange(listener_, 0));
    timer_.stop();
  }

 private:
  void look() {
    if (is_looking_) {
      look_again_ = true;
      return;
    }
    is_looking_ = true;
    ClaimScope scope = context_.worker->scope();
    scope.all = true;  // those of others come first, too
    scope.places.patient = false;
    context_.recording->look_up<Result<QueuePlace>>(
        [id = id_, scope](JournalReader& reader) { return reader.queue_place(id, scope); },
        [self = shared_from_this()](Result<QueuePlace> place) {
          self->on_place(std::move(place));
        });
  }

  // A run that this process has claimed is one of its runs a moment later.
  bool has_started(const RunRecord& run) const {
    const bool is_mine = run.owner == context_.worker->id();
    const bool begins = run.status == to_string(RunState::kStarting) && is_mine &&
                        context_.runs->find(id_) == nullptr;
    return run.status != to_string(RunState::kQueued) && !begins;
  }

  void on_place(Result<QueuePlace> place) {
    is_looking_ = false;
    if (is_over_) return;
    if (place && !may_see(effect_, place->run)) place = not_recorded(id_);
    const bool waits = place && !has_started(place->run);
    if (waits && limit_ > Millis{0} && (!is_late_ || look_again_)) {
      if (std::exchange(look_again_, false)) look();
      return;
    }
    end();
    const std::string waiting = place ? context_.worker->describe_waiting(*place) : "";
    if (!place) return fail_named(effect_, place.status(), id_);
    Json answer = {{"state", place->run.status}};
    const std::string& reason = waiting.empty() ? place->run.error_message : waiting;
    if (!reason.empty()) answer["reason"] = to_utf8(reason);
    if (place->before) answer["before"] = run_record_value(*place->before);
    effect_.answer(std::move(answer));
  }

  Effect effect_;
  Context& context_;
  std::string id_;
  Millis limit_;
  OneShotTimer timer_;
  int listener_ = 0;
  bool is_looking_ = false;
  bool look_again_ = false;
  bool is_late_ = false;
  bool is_over_ = false;
};

class PendingQueueWait final : public PendingOp {
 public:
  PendingQueueWait(std::shared_ptr<QueueWait> wait, std::string id)
      : wait_(std::move(wait)), id_(std::move(id)) {}
  ~PendingQueueWait() override { wait_->end(); }
  void cancel() override { wait_->end(); }
  void describe(WaitingFor* waiting) const override { waiting->runs.push_back(id_); }

 private:
  std::shared_ptr<QueueWait> wait_;
  std::string id_;
};

}  // namespace

int l_journal_queue(lua_State* state) {
  return with_wrong_use(state, [state] {
    constexpr std::int64_t kMaxWait = 600'000;
    const std::string id = check_recorded_run(state);
    Fields fields("journal.queue", options_at(state, 2));
    const Millis limit{fields.integer("wait_ms", 0, kMaxWait).value_or(0)};
    fields.done();
    Context& context = context_of(state);
    if (context.recording == nullptr) {
      return push_error(state, Status::error("no_journal", "nothing is recorded here"));
    }
    const auto task = Task::current(state);
    auto wait = std::make_shared<QueueWait>(Effect{context, task, task->completer()}, id, limit);
    wait->begin();
    return task->suspend(state, std::make_unique<PendingQueueWait>(std::move(wait), id));
  });
}

}  // namespace gibbous::lua
