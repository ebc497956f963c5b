// TaskImpl: what stands behind Task. The Call schedules it: run() is one slice. A tree: a task ends
// after its children, a failing child that nobody awaits cancels its siblings and is raised in its
// parent, cancelling goes children first. Loop thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bindings/lua/call/task.h"
#include "bindings/lua/vm/state.h"
#include "bindings/lua/vm/value.h"

namespace gibbous::lua {

class CallImpl;
class TaskImpl;

// How a task failed: what its call reports, if nobody catches it.
struct Failure {
  ScriptError error;
  bool coded = false;  // a table { code, message, data? } was raised: by tool.error, or error(err)
  Json data;
};

// Hears once of the end of a task that it awaits.
class TaskObserver {
 public:
  virtual ~TaskObserver() = default;
  virtual void on_task_done(TaskImpl& task) = 0;
};

// Which task is running on a state. In its registry; made by bind_context.
struct TaskSlot {
  TaskImpl* running = nullptr;
};
void make_task_slot(lua_State* state);
TaskSlot* task_slot(lua_State* state);  // null before make_task_slot

class TaskImpl final : public Task {
 public:
  enum class Phase : std::uint8_t {
    kReady,  // has not begun, or its slice was over, or what it waited for is there
    kRunning,
    kSuspended,  // waits for its operation
    kEnding,     // its function has ended; waits for its children
    kDone,
  };
  enum class Outcome : std::uint8_t { kNone, kReturned, kFailed, kCancelled };

  // Takes the coroutine, with its function and `arguments` values on its stack, from the top of
  // `from`.
  TaskImpl(std::shared_ptr<CallImpl> call, TaskImpl* parent, lua_State* from, int arguments,
           std::string spawned_from);
  ~TaskImpl() override;

  // Task
  Call& call() override;
  int suspend(lua_State* state, std::unique_ptr<PendingOp> op) override;
  void complete(PushResults push) override;
  Completer completer() override;

  // Scheduling, by the Call: resumes once, for at most `slice`, and charges the call.
  void run(Nanos slice);
  void cancel();
  // The call is gone: stops the operation, gives up all references; nothing is resumed any more.
  void abandon();
  bool queued = false;  // in the Call's queue

  // The task tree.
  void add_child(std::shared_ptr<TaskImpl> child);
  const std::vector<std::shared_ptr<TaskImpl>>& children() const { return children_; }
  TaskImpl* parent() const { return parent_; }
  void observe(TaskObserver* observer) { observers_.push_back(observer); }
  void stop_observing(TaskObserver* observer);
  // The single task that this one awaits, or null.
  TaskImpl* awaited() const { return awaited_; }
  void set_awaited(TaskImpl* task) { awaited_ = task; }

  CallImpl& owner() { return *call_; }
  Phase phase() const { return phase_; }
  bool done() const { return phase_ == Phase::kDone; }
  bool cancelled() const { return cancelled_; }
  Outcome outcome() const { return outcome_; }
  const Failure& failure() const { return failure_; }
  // What the function returned, once it is done: on the stack of its coroutine.
  int result_count() const { return results_; }
  lua_State* coroutine() const { return coroutine_; }
  // For an observer's PushResults: the results, or raises the error of `task` in this one.
  int push_result_of(lua_State* state, TaskImpl& task, int most_results);

  // For the wrapper of suspending functions (task.cc).
  enum class Entered : std::uint8_t { kPlain, kAnswered, kWaiting };
  std::shared_ptr<TaskImpl> shared_from_this() {
    return std::static_pointer_cast<TaskImpl>(Task::shared_from_this());
  }
  bool is_coroutine(lua_State* state) const { return state == coroutine_; }
  bool must_stop() const { return cancelled_ || interrupted_by_ != nullptr; }
  void set_entering(bool entering) { entering_ = entering; }
  Entered entered();
  void drop_operation();
  // The results of the operation, or raises why there are none.
  int push_outcome(lua_State* state);

 private:
  void body_ended(Outcome outcome);
  void read_failure(int status);
  void cancel_children();
  void stop_operation();
  void on_child_done(TaskImpl& child);
  void settle();  // goes on to the next phase, or into the queue, when nothing holds it
  void finish();
  void adopt_failure_of(TaskImpl& child);
  // The task on top of whose coroutine the error value lies, or null.
  TaskImpl* error_holder();
  [[noreturn]] void raise_failure_of(lua_State* state, TaskImpl& task, const char* chain);

  std::shared_ptr<CallImpl> call_;
  TaskImpl* parent_;
  LuaRef thread_;
  lua_State* coroutine_;  // kept alive by thread_
  int arguments_;
  std::string spawned_from_;
  Phase phase_ = Phase::kReady;
  Outcome outcome_ = Outcome::kNone;
  bool begun_ = false;
  bool cancelled_ = false;
  bool entering_ = false;
  bool sliced_ = false;           // kReady because its slice was over
  bool has_error_value_ = false;  // on top of the coroutine
  bool observed_ = false;         // somebody awaited its end, and has its error now
  int results_ = 0;
  Nanos cleanup_left_{0};  // once it is cancelled
  Failure failure_;
  std::unique_ptr<PendingOp> op_;
  std::uint64_t operation_ = 0;  // number of the operation that a Completer may complete
  PushResults push_;             // the operation is done
  std::vector<std::shared_ptr<TaskImpl>> children_;
  std::vector<TaskObserver*> observers_;
  TaskImpl* awaited_ = nullptr;
  std::shared_ptr<TaskImpl>
      interrupted_by_;                // a child that failed: to be raised at the next suspension
  std::shared_ptr<TaskImpl> raised_;  // whose error was raised here last
  bool adopted_ = false;              // failed as raised_ did, after its function had returned
  const char* raised_how_ = "";
};

}  // namespace gibbous::lua
