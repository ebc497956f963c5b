// The table `task`: children of the running task. A handle is a userdata that holds the task; it
// has one method, await.
#include <limits>
#include <lua.hpp>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "bindings/lua/api/api.h"
#include "bindings/lua/call/call.h"

namespace gibbous::lua {
namespace {

constexpr char kHandle[] = "gibbous.task";
constexpr int kAllResults = std::numeric_limits<int>::max();

using Handle = std::shared_ptr<Task>;

std::shared_ptr<Task> running(lua_State* state) {
  return Task::current(state);
}

// [..., function, arguments...] -> [...]: a child of `parent` that is ready to run.
Handle spawn(lua_State* state, Task& parent, int arguments) {
  if (parent.call().task_count() >= kMaxTasks) luaL_error(state, "too many tasks in one call");
  lua_State* coroutine = lua_newthread(state);
  lua_insert(state, -arguments - 2);           // [..., coroutine, function, arguments...]
  lua_xmove(state, coroutine, 1 + arguments);  // they fit: kMaxTaskArguments
  luaL_traceback(state, state, nullptr, 1);    // [..., coroutine, spawn site]
  const std::string spawned_from = lua_tostring(state, -1);
  lua_pop(state, 1);
  auto child = std::make_shared<Task>(parent.call().shared_from_this(), &parent, state, arguments,
                                      spawned_from);
  parent.add_child(child);
  return child;
}

int l_task_spawn(lua_State* state) {
  luaL_checktype(state, 1, LUA_TFUNCTION);
  const int arguments = lua_gettop(state) - 1;
  luaL_argcheck(state, arguments <= static_cast<int>(kMaxTaskArguments), 1,
                "too many arguments for a task");
  const auto parent = running(state);
  if (parent->must_stop()) return parent->push_outcome(state);
  // [function, arguments...]
  auto* handle = new (lua_newuserdata(state, sizeof(Handle))) Handle();
  luaL_getmetatable(state, kHandle);
  lua_setmetatable(state, -2);
  lua_insert(state, 1);  // [handle, function, arguments...]
  *handle = spawn(state, *parent, arguments);
  return 1;
}

class AwaitOp final : public PendingOp, public TaskObserver {
 public:
  AwaitOp(Task& waiting, Handle target)
      : waiting_(waiting), target_(std::move(target)), complete_(waiting.completer()) {
    target_->observe(this);
    waiting_.set_awaited(target_.get());
  }
  void cancel() override {
    target_->stop_observing(this);
    waiting_.set_awaited(nullptr);
  }
  void on_task_done(Task& task) override {
    static_cast<void>(task);
    waiting_.set_awaited(nullptr);
    complete_([waiting = &waiting_, target = target_](lua_State* to) {
      return waiting->push_result_of(to, *target, kAllResults);
    });
  }

 private:
  Task& waiting_;  // owns this
  Handle target_;
  Completer complete_;
};

// A task always waits for its children, and for the tasks that it awaits. Returns true when
// `waiting` would wait for itself.
bool would_never_end(const Task& waiting, const Task* target) {
  for (const Task* above = &waiting; above != nullptr; above = above->parent()) {
    if (above == target) return true;
  }
  for (const Task* next = target; next != nullptr; next = next->awaited()) {
    if (next == &waiting) return true;
  }
  return false;
}

int l_task_await(lua_State* state) {
  const Handle target = *static_cast<Handle*>(luaL_checkudata(state, 1, kHandle));
  const auto task = running(state);
  if (&target->call() != &task->call()) {
    return luaL_error(state, "await: the task belongs to another call");
  }
  if (would_never_end(*task, target.get())) {
    return luaL_error(state, "await: the task would wait for itself, directly or through others");
  }
  if (target->done()) {
    task->complete([waiting = task.get(), target](lua_State* to) {
      return waiting->push_result_of(to, *target, kAllResults);
    });
    return 0;
  }
  return task->suspend(state, std::make_unique<AwaitOp>(*task, target));
}

int l_task_cancel(lua_State* state) {
  const Handle target = *static_cast<Handle*>(luaL_checkudata(state, 1, kHandle));
  const auto task = running(state);
  for (const Task* above = task.get(); above != nullptr; above = above->parent()) {
    if (above == target.get())
      return luaL_error(state, "cancel: a task cannot cancel itself or a parent");
  }
  if (&target->call() != &task->call()) {
    return luaL_error(state, "cancel: the task belongs to another call");
  }
  target->cancel();
  return 0;
}

// Waits for all of its tasks; the first failure cancels the others, and is raised once they have
// ended.
class AllOp final : public PendingOp, public TaskObserver {
 public:
  AllOp(Task& waiting, std::vector<Handle> targets)
      : waiting_(waiting),
        targets_(std::move(targets)),
        left_(targets_.size()),
        complete_(waiting.completer()) {
    for (const Handle& target : targets_) target->observe(this);
  }
  void cancel() override {
    for (const Handle& target : targets_) target->stop_observing(this);
  }
  void on_task_done(Task& task) override {
    --left_;
    if (task.outcome() != Task::Outcome::kReturned && failed_ == nullptr) {
      failed_ = task.shared_from_this();
      for (const Handle& target : targets_) {
        if (!target->done()) target->cancel();
      }
    }
    if (left_ > 0) return;
    complete_([waiting = &waiting_, failed = failed_, targets = targets_](lua_State* to) {
      if (failed != nullptr) return waiting->push_result_of(to, *failed, 0);
      lua_createtable(to, static_cast<int>(targets.size()), 0);
      for (std::size_t index = 0; index < targets.size(); ++index) {
        if (waiting->push_result_of(to, *targets[index], 1) == 0) lua_pushnil(to);
        lua_rawseti(to, -2, static_cast<int>(index) + 1);
      }
      return 1;
    });
  }

 private:
  Task& waiting_;  // owns this
  std::vector<Handle> targets_;
  std::size_t left_;
  Handle failed_;
  Completer complete_;
};

int l_task_all(lua_State* state) {
  luaL_checktype(state, 1, LUA_TTABLE);
  lua_settop(state, 1);
  const std::size_t count = lua_objlen(state, 1);
  luaL_argcheck(state, count <= kMaxTasks, 1, "too many functions");
  for (std::size_t index = 1; index <= count; ++index) {
    lua_rawgeti(state, 1, static_cast<int>(index));
    if (!lua_isfunction(state, -1)) {
      return luaL_error(state, "all: expected a list of functions, got a %s at [%d]",
                        luaL_typename(state, -1), static_cast<int>(index));
    }
    lua_pop(state, 1);
  }
  if (count == 0) {
    lua_newtable(state);
    return 1;
  }
  const auto task = running(state);
  std::vector<Handle> children;
  children.reserve(count);
  for (std::size_t index = 1; index <= count; ++index) {
    lua_rawgeti(state, 1, static_cast<int>(index));
    children.push_back(spawn(state, *task, 0));
  }
  return task->suspend(state, std::make_unique<AllOp>(*task, std::move(children)));
}

int l_task_collect(lua_State* state) {
  std::destroy_at(static_cast<Handle*>(luaL_checkudata(state, 1, kHandle)));
  return 0;
}

}  // namespace

void open_task(lua_State* state) {
  luaL_newmetatable(state, kHandle);
  lua_pushcfunction(state, l_task_collect);
  lua_setfield(state, -2, "__gc");
  lua_createtable(state, 0, 2);
  push_suspending(state, l_task_await, "task:await");
  lua_setfield(state, -2, "await");
  lua_pushcfunction(state, l_task_cancel);
  lua_setfield(state, -2, "cancel");
  lua_setfield(state, -2, "__index");
  lua_pushboolean(state, 0);
  lua_setfield(state, -2, "__metatable");
  lua_pop(state, 1);

  lua_newtable(state);
  lua_pushcfunction(state, l_task_spawn);
  lua_setfield(state, -2, "spawn");
  push_suspending(state, l_task_all, "all");
  lua_setfield(state, -2, "all");
}

}  // namespace gibbous::lua
