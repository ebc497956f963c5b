// Task: one coroutine and the one operation that it waits for. A Call is a tree of tasks: its root
// runs the tool, task.spawn makes children. Suspending functions of the API are written against
// this header; api_time.cc (time.sleep) is the model. Loop thread only.
#pragma once

#include <functional>
#include <memory>

#include "bindings/lua/vm/state.h"

struct lua_State;

namespace gibbous::lua {

class Call;

// What a suspended task waits for. Freed when the task goes on.
class PendingOp {
 public:
  virtual ~PendingOp() = default;
  // The task is cancelled: stop the operation. A complete() that comes afterwards all the same must
  // go through a Completer.
  virtual void cancel() = 0;
};

// Puts the results of a suspended function on the stack and gives their number. Runs as a part of
// the script, inside the coroutine, just before it goes on: it may raise, and a string that it
// raises with luaL_error gets the script's file and line. It may capture plain C++ values, but no
// lua_State.
using PushResults = std::function<int(lua_State*)>;

// Completes one operation of one task; copyable, may outlive both. Does nothing when that operation
// was cancelled or completed before, so that late callbacks need no bookkeeping of their own.
using Completer = std::function<void(PushResults)>;

class Task : public std::enable_shared_from_this<Task> {
 public:
  virtual ~Task() = default;
  // The task that is running now on `state`; raises "cannot be used while a script is loading or a
  // policy decides" when there is none.
  static std::shared_ptr<Task> current(lua_State* state);
  // Valid for as long as the task is referred to, also after the call has ended.
  virtual Call& call() = 0;

  // For a leaf function that push_suspending wraps: `return task->suspend(L, std::move(op));`, and
  // nothing after it. Does not yield by itself: the wrapper does, once the leaf has returned.
  virtual int suspend(lua_State* state, std::unique_ptr<PendingOp> op) = 0;
  // The operation is done. Queues the resume: never resumes inside. May come before suspend(), from
  // the leaf itself, for an operation that is answered at once; the task then goes on without a
  // yield.
  virtual void complete(PushResults push) = 0;
  // A handle for complete() that a leaf takes before it starts its operation.
  virtual Completer completer() = 0;
};

// Pushes a function for an API table that suspends its task: a wrapper around `leaf`, which is
// written like any lua_CFunction (arguments from index 1, results counted, luaL_check* and
// luaL_error for wrong use) but may `return task->suspend(...)`. The wrapper raises before the leaf
// runs when there is no task, when the task is cancelled, or when it cannot be suspended here
// (inside a sort or gsub callback), so the leaf's side effects never happen in vain. `name` is how
// messages call the function; with a ':' ("run:kill") argument 1 is the object of a method call.
// Plain functions need no such wrapping.
void push_suspending(lua_State* state, int (*leaf)(lua_State*), const char* name);

}  // namespace gibbous::lua
