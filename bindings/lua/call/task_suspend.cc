// The code between a leaf function of the API and its task. Loop thread.
//
// LuaJIT has no lua_yieldk, so a suspending function is three things: `enter` (C) runs the leaf
// protected and then yields; the scheduler resumes with no values; `finish` (C) puts the results on
// the stack or raises. A one-line Lua function ties them together, and calls `finish` as a tail
// call: so the script is its caller, and whatever it raises carries the script's file and line.
#include "bindings/lua/call/task.h"

#include <cstdlib>
#include <cstring>
#include <lua.hpp>
#include <string>

namespace gibbous::lua {
namespace {

// Their addresses are keys of the registry.
constexpr char kSlotKey = 0;
constexpr char kShimKey = 0;

constexpr char kShim[] =
    "local finish = ...\n"
    "return function(enter)\n"
    "  return function(...) return finish(enter(...)) end\n"
    "end";

constexpr char kNoTask[] = "cannot be used while a script is loading or a policy decides";
constexpr char kNotHere[] =
    "cannot wait here: inside a callback of a built-in function, such as table.sort or string.gsub";

Task* running_task(lua_State* state) {
  TaskSlot* slot = task_slot(state);
  return slot == nullptr ? nullptr : slot->running;
}

// luaL_argerror in a leaf called from C knows neither its name nor that argument 1 is the object of
// a method call. Corrects both in the message on top of the stack.
void name_function(lua_State* state, const std::string& name) {
  static constexpr char kPrefix[] = "bad argument #";
  static constexpr char kUnknown[] = " to '?' (";
  if (lua_type(state, -1) != LUA_TSTRING) return;
  const char* message = lua_tostring(state, -1);
  if (std::strncmp(message, kPrefix, sizeof kPrefix - 1) != 0) return;
  char* end = nullptr;
  long index = std::strtol(message + sizeof kPrefix - 1, &end, 10);
  if (std::strncmp(end, kUnknown, sizeof kUnknown - 1) != 0) return;
  const char* rest = end + sizeof kUnknown - 1;
  const std::size_t colon = name.find(':');
  const char* shown = name.c_str() + (colon == std::string::npos ? 0 : colon + 1);
  if (colon != std::string::npos) --index;
  if (index == 0) {
    lua_pushfstring(state, "calling '%s' on bad self (%s", shown, rest);
  } else {
    lua_pushfstring(state, "bad argument #%d to '%s' (%s", static_cast<int>(index), shown, rest);
  }
  lua_remove(state, -2);
}

int fail_entry(lua_State* state, const char* message) {
  lua_settop(state, 0);
  lua_pushboolean(state, 0);
  lua_pushstring(state, message);
  return 2;
}

// Upvalues: the leaf, its name. Returns nothing when finish has to ask the task, true and the
// results of a leaf that did not suspend, or false and an error.
int l_enter(lua_State* state) {
  Task* task = running_task(state);
  if (task == nullptr) return fail_entry(state, kNoTask);
  if (task->must_stop()) {
    lua_settop(state, 0);
    return 0;
  }
  if (!task->is_coroutine(state) || !lua_isyieldable(state)) return fail_entry(state, kNotHere);
  lua_pushvalue(state, lua_upvalueindex(1));
  lua_insert(state, 1);  // [leaf, arguments...]
  task->set_entering(true);
  const int status = lua_pcall(state, lua_gettop(state) - 1, LUA_MULTRET, 0);
  task->set_entering(false);
  if (status != 0) {
    task->drop_operation();
    if (status == LUA_ERRRUN) name_function(state, lua_tostring(state, lua_upvalueindex(2)));
    lua_pushboolean(state, 0);
    lua_insert(state, -2);  // [false, error]
    return 2;
  }
  switch (task->entered()) {
    case Task::Entered::kAnswered:
      lua_settop(state, 0);
      return 0;
    case Task::Entered::kWaiting:
      lua_settop(state, 0);
      return lua_yield(state, 0);
    case Task::Entered::kPlain:
      break;
  }
  lua_pushboolean(state, 1);
  lua_insert(state, 1);  // [true, results...]
  return lua_gettop(state);
}

int l_finish(lua_State* state) {
  if (lua_gettop(state) == 0) {
    Task* task = running_task(state);
    if (task == nullptr) return luaL_error(state, "%s", kNoTask);
    return task->push_outcome(state);
  }
  if (lua_toboolean(state, 1)) return lua_gettop(state) - 1;
  if (lua_type(state, 2) == LUA_TSTRING) {
    luaL_where(state, 1);
    lua_pushvalue(state, 2);
    lua_concat(state, 2);
  }
  return lua_error(state);
}

void push_shim(lua_State* state) {
  lua_pushlightuserdata(state, const_cast<char*>(&kShimKey));
  lua_rawget(state, LUA_REGISTRYINDEX);
  if (!lua_isnil(state, -1)) return;
  lua_pop(state, 1);
  if (luaL_loadbuffer(state, kShim, sizeof kShim - 1, "=suspending") != 0) lua_error(state);
  lua_pushcfunction(state, l_finish);
  lua_call(state, 1, 1);
  lua_pushlightuserdata(state, const_cast<char*>(&kShimKey));
  lua_pushvalue(state, -2);
  lua_rawset(state, LUA_REGISTRYINDEX);
}

}  // namespace

void make_task_slot(lua_State* state) {
  if (task_slot(state) != nullptr) return;
  lua_pushlightuserdata(state, const_cast<char*>(&kSlotKey));
  new (lua_newuserdata(state, sizeof(TaskSlot))) TaskSlot{};
  lua_rawset(state, LUA_REGISTRYINDEX);
}

TaskSlot* task_slot(lua_State* state) {
  lua_pushlightuserdata(state, const_cast<char*>(&kSlotKey));
  lua_rawget(state, LUA_REGISTRYINDEX);
  auto* slot = static_cast<TaskSlot*>(lua_touserdata(state, -1));
  lua_pop(state, 1);
  return slot;
}

std::shared_ptr<Task> Task::current(lua_State* state) {
  Task* task = running_task(state);
  if (task == nullptr) luaL_error(state, "%s", kNoTask);
  return task->shared_from_this();
}

void push_suspending(lua_State* state, int (*leaf)(lua_State*), const char* name) {
  push_shim(state);
  lua_pushcfunction(state, leaf);
  lua_pushstring(state, name);
  lua_pushcclosure(state, l_enter, 2);  // [shim, enter]
  lua_call(state, 1, 1);
}

}  // namespace gibbous::lua
