// The tree of tasks, and its rules.
#include "bindings/lua/call/task.h"

#include <algorithm>
#include <lua.hpp>
#include <utility>

#include "bindings/lua/call/call.h"
#include "bindings/lua/vm/error.h"

namespace gibbous::lua {
namespace {

constexpr int kInstructionsPerLook = 1000;  // enough for tools, with no value above 4 MiB
constexpr std::size_t kMaxTracebackBytes = std::size_t{64} << 10;  // for a chain of tasks together
constexpr std::size_t kMaxLeftBytes = 256;       // of a message that another task goes on with
constexpr std::size_t kMaxSpawnBytes = 1 << 10;  // of the traceback of a spawn
constexpr char kTracebackHeader[] = "stack traceback:\n";

std::string without_header(const std::string& traceback) {
  const bool has = traceback.rfind(kTracebackHeader, 0) == 0;
  return has ? traceback.substr(sizeof kTracebackHeader - 1) : traceback;
}

void append_part(std::string* traceback, const std::string& title, const std::string& part) {
  if (part.empty() || traceback->size() > kMaxTracebackBytes) return;
  *traceback += "\n" + title + "\n" + without_header(part);
}

// One slot is always free on a coroutine that does not run. lua_checkstack must not be called on
// one, because nothing would catch its memory error.
void push_top_of(lua_State* coroutine, lua_State* to) {
  lua_pushvalue(coroutine, -1);
  lua_xmove(coroutine, to, 1);
}

}  // namespace

Task::Task(std::shared_ptr<Call> call, Task* parent, lua_State* from, int arguments,
           std::string spawned_from)
    : call_(std::move(call)),
      parent_(parent),
      coroutine_(lua_tothread(from, -1)),
      arguments_(arguments),
      spawned_from_(spawned_from.substr(0, kMaxSpawnBytes)) {
  thread_ = LuaRef::take(from);
  call_->add_task(this);
}

Task::~Task() {
  call_->remove_task(this);
}

Failure Task::take_failure() {
  Failure taken = failure_;
  kept_.reset();
  failure_.error.traceback = std::string();
  failure_.error.message.resize(std::min(failure_.error.message.size(), kMaxLeftBytes));
  failure_.error.message.shrink_to_fit();
  return taken;
}

int Task::suspend(lua_State* state, std::unique_ptr<PendingOp> op) {
  if (!entering_ || op_) {
    op->cancel();
    op.reset();
    return luaL_error(state,
                      "internal error: a function that suspends was not made by push_suspending");
  }
  if (!push_) op_ = std::move(op);
  return 0;
}

void Task::complete(PushResults push) {
  if (done() || must_stop() || push_) return;
  push_ = std::move(push);
  settle();
}

Completer Task::completer() {
  return [weak = std::weak_ptr<Task>(shared_from_this()), number = operation_](PushResults push) {
    const auto task = weak.lock();
    if (task && task->operation_ == number) task->complete(std::move(push));
  };
}

Task::Entered Task::entered() {
  if (push_) {
    op_.reset();
    return Entered::kAnswered;
  }
  if (must_stop()) {
    stop_operation();
    return Entered::kAnswered;
  }
  if (op_) return Entered::kWaiting;
  ++operation_;  // the leaf has returned: its leftovers cannot answer for the next one
  return Entered::kPlain;
}

void Task::drop_operation() {
  stop_operation();
}

void Task::stop_operation() {
  ++operation_;
  push_ = nullptr;
  if (!op_) return;
  const std::unique_ptr<PendingOp> op = std::move(op_);
  op->cancel();
}

int Task::push_outcome(lua_State* state) {
  ++operation_;
  op_.reset();
  const PushResults push = std::exchange(push_, nullptr);
  if (cancelled_) {
    push_error_table(state, "cancelled", call_->cancel_message());
    return lua_error(state);
  }
  if (interrupted_by_) {
    const std::shared_ptr<Task> child = std::exchange(interrupted_by_, nullptr);
    raise_failure_of(state, *child, "raised in its parent at:");
  }
  return push ? push(state) : 0;
}

void Task::raise_failure_of(lua_State* state, Task& task, const char* chain) {
  Task* holder = task.error_holder();
  if (holder != nullptr) {
    raised_ = task.shared_from_this();
    raised_how_ = chain;
    push_top_of(holder->coroutine_, state);
  } else if (task.outcome_ == Outcome::kFailed) {
    lua_pushstring(state, task.failure_.error.text().c_str());
  } else {
    push_error_table(state, "cancelled", "the task was cancelled");
  }
  lua_error(state);
  __builtin_unreachable();
}

Task* Task::error_holder() {
  Task* holder = this;
  while (holder->adopted_) holder = holder->raised_.get();
  return holder->has_error_value_ && holder->coroutine_ != nullptr ? holder : nullptr;
}

int Task::push_result_of(lua_State* state, Task& task, int most_results) {
  if (task.outcome_ != Outcome::kReturned || task.coroutine_ == nullptr) {
    raise_failure_of(state, task, "awaited at:");
  }
  const int count = std::min(task.results_, most_results);
  luaL_checkstack(state, count, "too many results");
  for (int index = 1; index <= count; ++index) {
    lua_pushvalue(task.coroutine_, index);
    lua_xmove(task.coroutine_, state, 1);
  }
  return count;
}

void Task::run(Nanos slice) {
  const auto self = shared_from_this();
  if (phase_ != Phase::kReady) return;
  const EngineLimits& granted = call_->limits();
  BudgetLimits limits;
  limits.total = cancelled_ ? std::min(call_->lua_left(), cleanup_left_) : call_->lua_left();
  limits.granted = cancelled_ ? granted.cleanup : granted.call_lua;
  limits.processor = true;
  limits.slice = slice;
  limits.hold = granted.hold;
  limits.instructions = kInstructionsPerLook;
  limits.root = coroutine_;
  if (cancelled_ && (limits.total <= Nanos{0} || !begun_)) {
    body_ended(Outcome::kCancelled);
    return;
  }
  if (limits.total <= Nanos{0}) {
    // The time was used up after the last look at the clock: the next instruction says where.
    limits.total = Nanos{1};
    limits.instructions = 1;
  }

  State& state = call_->generation().state();
  TaskSlot* slot = task_slot(state.main());
  phase_ = Phase::kRunning;
  slot->running = this;
  state.memory().clear_refused();
  state.budget().arm(state.main(), limits);
  const int status = lua_resume(coroutine_, begun_ ? 0 : arguments_);
  const Nanos used = state.budget().disarm(state.main());
  const bool sliced = state.budget().take_sliced();
  slot->running = nullptr;
  begun_ = true;
  call_->charge(used);
  if (cancelled_) cleanup_left_ -= used;

  sliced_ = sliced;
  if (status == LUA_YIELD && !state.budget().exceeded()) {
    if (sliced) {
      phase_ = Phase::kReady;
      call_->enqueue(*this);
    } else {
      phase_ = Phase::kSuspended;
      settle();
    }
    return;
  }
  if (status == 0 && !state.budget().exceeded()) {
    results_ = lua_gettop(coroutine_);
    body_ended(cancelled_ ? Outcome::kCancelled : Outcome::kReturned);
    return;
  }
  if (cancelled_) {
    body_ended(Outcome::kCancelled);
    return;
  }
  const bool exceeded = state.budget().exceeded();
  read_failure(status);
  if (exceeded) call_->budget_gone(failure_);
  body_ended(Outcome::kFailed);
}

void Task::read_failure(int status) {
  State& state = call_->generation().state();
  if (status == 0 || status == LUA_YIELD) {
    // It went on although its time was over: inside a C function no instruction could stop it.
    failure_.error.code = "budget_exceeded";
    state.locate(state.budget().message(), &failure_.error);
  } else {
    has_error_value_ = true;
    failure_.error = state.resume_error(coroutine_, status);
    const bool exceeded = failure_.error.code == "budget_exceeded";
    bool same_as_raised = false;
    state.protect(
        BudgetLimits{},
        [&](lua_State* to) {
          push_top_of(coroutine_, to);  // [error]
          Task* holder = raised_ && !exceeded ? raised_->error_holder() : nullptr;
          if (holder != nullptr) {
            push_top_of(holder->coroutine_, to);
            same_as_raised = lua_rawequal(to, -1, -2) != 0;
            lua_pop(to, 1);
          }
          if (!lua_istable(to, -1)) return;
          lua_pushliteral(to, "code");
          lua_rawget(to, -2);
          failure_.coded = lua_type(to, -1) == LUA_TSTRING;
        },
        nullptr);
    read_data();
    if (same_as_raised) {
      ScriptError error = raised_->take_failure().error;
      append_part(&error.traceback, raised_how_, failure_.error.traceback);
      failure_.error = std::move(error);
    }
  }
  append_part(&failure_.error.traceback, "spawned from:", spawned_from_);
  keep_failure();
}

// A script may keep many tasks that have failed: their texts count against its memory.
void Task::keep_failure() {
  ScriptError& error = failure_.error;
  const std::size_t bytes = error.message.size() + error.traceback.size();
  if (parent_ == nullptr || bytes <= kMaxLeftBytes) return;
  const bool fits = call_->generation().state().protect(
      BudgetLimits{},
      [&](lua_State* to) {
        lua_newuserdata(to, bytes);
        kept_ = LuaRef::take(to);
      },
      nullptr);
  if (!fits) (void)take_failure();
}

// Only the root reads it: children hand the value on.
void Task::read_data() {
  Task* holder = parent_ == nullptr && failure_.coded ? error_holder() : nullptr;
  if (holder == nullptr) return;
  call_->generation().state().protect(
      BudgetLimits{},
      [&](lua_State* to) {
        push_top_of(holder->coroutine_, to);  // [error]
        if (!lua_istable(to, -1)) return;
        lua_pushliteral(to, "data");
        lua_rawget(to, -2);
        if (!lua_isnil(to, -1)) failure_.data = to_json(to, -1);
      },
      nullptr);
}

void Task::body_ended(Outcome outcome) {
  outcome_ = outcome;
  phase_ = Phase::kEnding;
  stop_operation();
  if (outcome_ == Outcome::kReturned && interrupted_by_) {
    adopt_failure_of(*interrupted_by_);
  }
  if (outcome_ != Outcome::kReturned) cancel_children();
  settle();
}

void Task::adopt_failure_of(Task& child) {
  outcome_ = Outcome::kFailed;
  adopted_ = true;
  raised_ = child.shared_from_this();
  failure_ = child.take_failure();
  read_data();
  append_part(&failure_.error.traceback, "spawned from:", spawned_from_);
  keep_failure();
}

void Task::settle() {
  switch (phase_) {
    case Phase::kSuspended:
      // A task that must stop continues once its children have stopped.
      if (must_stop() ? children_.empty() : push_ != nullptr) {
        phase_ = Phase::kReady;
        call_->enqueue(*this);
      }
      return;
    case Phase::kEnding:
      if (children_.empty()) finish();
      return;
    case Phase::kReady:
    case Phase::kRunning:
    case Phase::kDone:
      return;
  }
}

void Task::finish() {
  const auto self = shared_from_this();
  phase_ = Phase::kDone;
  interrupted_by_.reset();
  // The task that awaits it gets the error. One by one, because an observer's action may remove
  // others.
  observed_ = !observers_.empty();
  while (!observers_.empty()) {
    TaskObserver* observer = observers_.front();
    observers_.erase(observers_.begin());
    observer->on_task_done(*this);
  }
  if (parent_ == nullptr) {
    call_->on_root_done();
    return;
  }
  Task* parent = std::exchange(parent_, nullptr);
  parent->on_child_done(*this);
}

void Task::on_child_done(Task& child) {
  const auto self = child.shared_from_this();
  children_.erase(std::remove(children_.begin(), children_.end(), self), children_.end());
  if (child.outcome_ == Outcome::kFailed && !child.observed_ && !cancelled_) {
    if (phase_ == Phase::kEnding) {
      if (outcome_ == Outcome::kReturned) {
        adopt_failure_of(child);
      }
      cancel_children();
    } else if (!interrupted_by_) {
      interrupted_by_ = self;
      cancel_children();
      if (phase_ == Phase::kSuspended) stop_operation();
    }
  }
  settle();
}

void Task::add_child(std::shared_ptr<Task> child) {
  children_.push_back(child);
  call_->enqueue(*child);
}

void Task::stop_observing(TaskObserver* observer) {
  observers_.erase(std::remove(observers_.begin(), observers_.end(), observer), observers_.end());
}

void Task::cancel_children() {
  // Cancelling runs no script and ends no task, so the list does not change. The last one first.
  for (auto child = children_.rbegin(); child != children_.rend(); ++child) (*child)->cancel();
}

void Task::cancel() {
  if (done() || cancelled_) return;
  cancelled_ = true;
  cleanup_left_ = call_->limits().cleanup;
  cancel_children();
  if (phase_ == Phase::kReady && begun_ && !sliced_) phase_ = Phase::kSuspended;
  if (phase_ == Phase::kSuspended || phase_ == Phase::kReady) stop_operation();
  if (phase_ == Phase::kSuspended) settle();
}

void Task::abandon() {
  if (coroutine_ == nullptr) return;
  const auto self = shared_from_this();
  const auto children = std::exchange(children_, {});
  for (auto child = children.rbegin(); child != children.rend(); ++child) (*child)->abandon();
  if (!done()) {
    cancelled_ = true;
    outcome_ = Outcome::kCancelled;
    stop_operation();
    phase_ = Phase::kDone;
  }
  push_ = nullptr;
  observers_.clear();
  interrupted_by_.reset();
  raised_.reset();
  parent_ = nullptr;
  awaited_ = nullptr;
  coroutine_ = nullptr;
  thread_.reset();
  kept_.reset();
}

}  // namespace gibbous::lua
