// Task: one coroutine and the one operation that it waits for. A Call is a tree of tasks: its root
// runs the tool, task.spawn makes children. A task ends after its children; a failing child that no
// task awaits cancels its siblings and is raised in its parent; cancelling goes children first.
// Suspending functions of the API use suspend(), complete() and completer(); api_time.cc
// (time.sleep) is the model. Loop thread only.
//
// Nothing resumes a coroutine but run(), and that runs only in Engine::run_ready: never inside the
// callback that made it ready, nor inside a call of the host. A cancelled task is resumed, once its
// children have ended, with an error { code = 'cancelled' }; each later wait raises again, and
// `limits.cleanup` bounds it. A coroutine that does not run has one free stack slot and no
// protected frame: push at most one value on it, and never lua_checkstack it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bindings/lua/call/progress_reports.h"
#include "bindings/lua/vm/state.h"
#include "bindings/lua/vm/value.h"

struct lua_State;

namespace gibbous::lua {

class Call;
class Task;

// The operation of a suspended task. Freed when the task continues.
class PendingOp {
 public:
  virtual ~PendingOp() = default;
  // The task is cancelled: stop the operation. A later complete() must go through a Completer.
  virtual void cancel() = 0;
  // Adds what it waits for.
  virtual void describe(WaitingFor* waiting) const { static_cast<void>(waiting); }
};

// Puts the results of a suspended function on the stack and returns their number. Runs as part of
// the script, inside the coroutine, just before it continues: it may raise, and a string that it
// raises with luaL_error gets the script's file and line. It may capture plain C++ values, but no
// lua_State.
using PushResults = std::function<int(lua_State*)>;

// Completes one operation of one task; copyable, may outlive both. Does nothing when that operation
// was already cancelled or completed, so that late callbacks need no bookkeeping.
using Completer = std::function<void(PushResults)>;

// The error of a failed task, which its call reports if no script catches it.
struct Failure {
  ScriptError error;
  bool coded = false;  // a table { code, message, data? } was raised by tool.error or error(err)
  Json data;
};

// Called once at the end of a task that it awaits.
class TaskObserver {
 public:
  virtual ~TaskObserver() = default;
  virtual void on_task_done(Task& task) = 0;
};

// The running task of a state. In its registry; made by bind_context.
struct TaskSlot {
  Task* running = nullptr;
};
void make_task_slot(lua_State* state);
TaskSlot* task_slot(lua_State* state);  // null before make_task_slot

class Task final : public std::enable_shared_from_this<Task> {
 public:
  enum class Phase : std::uint8_t {
    kReady,  // new, its slice was used up, or its operation has completed
    kRunning,
    kSuspended,  // waits for its operation
    kEnding,     // its function has ended; waits for its children
    kDone,
  };
  enum class Outcome : std::uint8_t { kNone, kReturned, kFailed, kCancelled };

  // Takes the coroutine, with its function and `arguments` values on its stack, from the top of
  // `from`.
  Task(std::shared_ptr<Call> call, Task* parent, lua_State* from, int arguments,
       std::string spawned_from);
  ~Task();
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  // Returns the task that is running on `state`; raises "cannot be used while a script is loading
  // or a policy decides" when there is none.
  static std::shared_ptr<Task> current(lua_State* state);
  // Valid for as long as the task is referred to, even after the call has ended.
  Call& call() { return *call_; }

  // For a leaf function that push_suspending wraps: `return task->suspend(L, std::move(op));`, and
  // nothing after it. Does not yield itself: the wrapper does, once the leaf has returned.
  int suspend(lua_State* state, std::unique_ptr<PendingOp> op);
  // The operation has completed. Queues the resume, and never resumes inside. May come before
  // suspend(), from the leaf itself, for an operation that completes at once; the task then
  // continues without a yield.
  void complete(PushResults push);
  // Returns a handle for complete() that a leaf takes before it starts its operation.
  Completer completer();

  // For scheduling by the Call: resumes once, for at most `slice`, and charges the call.
  void run(Nanos slice);
  void cancel();
  // The call has ended: stops the operation and drops all references; nothing is resumed any more.
  void abandon();
  bool queued = false;  // in the Call's queue

  // The task tree.
  void add_child(std::shared_ptr<Task> child);
  const std::vector<std::shared_ptr<Task>>& children() const { return children_; }
  Task* parent() const { return parent_; }
  void observe(TaskObserver* observer) { observers_.push_back(observer); }
  void stop_observing(TaskObserver* observer);
  // The task that this one awaits, or null.
  Task* awaited() const { return awaited_; }
  void set_awaited(Task* task) { awaited_ = task; }

  Phase phase() const { return phase_; }
  bool done() const { return phase_ == Phase::kDone; }
  void describe(WaitingFor* waiting) const {
    if (op_) op_->describe(waiting);
  }
  bool cancelled() const { return cancelled_; }
  Outcome outcome() const { return outcome_; }
  const Failure& failure() const { return failure_; }
  // The function's results, once it is done: on the stack of its coroutine.
  int result_count() const { return results_; }
  lua_State* coroutine() const { return coroutine_; }
  // For an observer's PushResults: pushes the results, or raises the error of `task` in this one.
  int push_result_of(lua_State* state, Task& task, int most_results);

  // For the wrapper of suspending functions (task.cc).
  enum class Entered : std::uint8_t { kPlain, kAnswered, kWaiting };
  bool is_coroutine(lua_State* state) const { return state == coroutine_; }
  bool must_stop() const { return cancelled_ || interrupted_by_ != nullptr; }
  void set_entering(bool entering) { entering_ = entering; }
  Entered entered();
  void drop_operation();
  // Pushes the results of the operation, or raises the reason why there are none.
  int push_outcome(lua_State* state);

 private:
  void body_ended(Outcome outcome);
  void read_failure(int status);
  void cancel_children();
  void stop_operation();
  void on_child_done(Task& child);
  void settle();  // enters the next phase, or the queue, when nothing prevents it
  void finish();
  void adopt_failure_of(Task& child);
  // The task whose coroutine has the error value on top, or null.
  Task* error_holder();
  [[noreturn]] void raise_failure_of(lua_State* state, Task& task, const char* chain);
  // Returns the failure for the task that goes on with it. A chain of tasks has one traceback.
  Failure take_failure();
  void keep_failure();
  // Reads what the error value carries, for the answer of the call.
  void read_data();

  std::shared_ptr<Call> call_;
  Task* parent_;
  LuaRef thread_;
  LuaRef kept_;           // as large as the failure's texts
  lua_State* coroutine_;  // kept alive by thread_
  int arguments_;
  std::string spawned_from_;
  Phase phase_ = Phase::kReady;
  Outcome outcome_ = Outcome::kNone;
  bool begun_ = false;
  bool cancelled_ = false;
  bool entering_ = false;
  bool sliced_ = false;           // kReady because its slice was used up
  bool has_error_value_ = false;  // on top of the coroutine
  bool observed_ = false;         // a task awaited its end and has its error
  int results_ = 0;
  Nanos cleanup_left_{0};  // once it is cancelled
  Failure failure_;
  std::unique_ptr<PendingOp> op_;
  std::uint64_t operation_ = 0;  // number of the operation that a Completer may complete
  PushResults push_;             // the operation is done
  std::vector<std::shared_ptr<Task>> children_;
  std::vector<TaskObserver*> observers_;
  Task* awaited_ = nullptr;
  std::shared_ptr<Task> interrupted_by_;  // a failed child, to be raised at the next suspension
  std::shared_ptr<Task> raised_;          // whose error was last raised here
  bool adopted_ = false;  // failed with the error of raised_ after its function had returned
  const char* raised_how_ = "";
};

// Pushes a function for an API table that suspends its task: a wrapper around `leaf`, which is
// written like any lua_CFunction (arguments from index 1, results counted, luaL_check* and
// luaL_error for wrong use) but may `return task->suspend(...)`. The wrapper raises before the leaf
// runs when there is no task, when the task is cancelled, or when it cannot be suspended here
// (inside a sort or gsub callback), so the leaf has no side effects in vain. Messages call the
// function `name`; with a ':' ("run:kill") argument 1 is the object of a method call. Plain
// functions need no such wrapping.
void push_suspending(lua_State* state, int (*leaf)(lua_State*), const char* name);

}  // namespace gibbous::lua
