// State: one lua_State with its memory cap, budget and sandbox; a Generation owns one. Everything
// that touches Lua from outside goes through protect(), so that no Lua error ever meets a libuv
// callback. Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "bindings/lua/vm/alloc.h"
#include "bindings/lua/vm/budget.h"
#include "bindings/lua/vm/lua_ref.h"
#include "gibbous/status.h"

struct lua_State;

namespace gibbous::lua {

// How a script failed. `file` and `line` are where, when the message tells.
struct ScriptError {
  // script_error, budget_exceeded, memory_exceeded, cancelled, or a tool's own.
  std::string code = "script_error";
  std::string message;  // without file:line in front
  std::string file;
  int line = 0;
  std::string traceback;
  // "file:line: message", or the message alone.
  std::string text() const;
};

struct StateOptions {
  MemoryLimits memory;
  const Clock* clock = nullptr;  // the system's when null; outlives the State
};

class State {
 public:
  static Result<std::unique_ptr<State>> create(const StateOptions& options);
  // Closes the lua_State. A __gc that runs now may use nothing of State.
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  lua_State* main() { return state_; }
  Budget& budget() { return budget_; }
  MemoryCap& memory() { return memory_; }
  // The State that `state` (or a coroutine of it) belongs to. A few nanoseconds; touches no stack.
  static State& of(lua_State* state);

  // Runs fn(L) inside a protected C call under the given budget; Lua errors and std::exceptions
  // come back as ScriptError. The stack is balanced again afterwards. No yields. May be nested,
  // also below a running coroutine of this state: the outer budget goes on afterwards and its clock
  // has not stopped. L is main(). fn keeps its references in C++ variables; values that it leaves
  // on the stack are dropped.
  bool protect(const BudgetLimits& limits, const std::function<void(lua_State*)>& fn,
               ScriptError* error);

  // For a coroutine whose lua_resume gave `status` (not 0, not LUA_YIELD): reads the error on top
  // of its stack, with the traceback of the dead coroutine. Reads `budget().exceeded()`, so call it
  // before the next arm(). The value stays there. Never raises.
  ScriptError resume_error(lua_State* coroutine, int status);

  // The message's own "file:line: " split off, when it names a chunk that this state has loaded;
  // the full path in `file`, also where Lua shortened it to "...end/of/path".
  void locate(std::string_view text, ScriptError* error) const;
  // "file:line: " of the innermost function on the stack of `state` that comes from a loaded chunk,
  // or "".
  std::string where(lua_State* state) const;
  // Does the message begin with such a place?
  bool has_place(std::string_view text) const { return find_place(text).chunk != nullptr; }

 private:
  friend bool load_chunk(lua_State* state, std::string_view text, const std::string& path);
  explicit State(const StateOptions& options);
  // As messages name a chunk -> its path.
  using Chunks = std::map<std::string, std::string, std::less<>>;
  struct Place {
    const std::string* chunk = nullptr;  // null: no place
    int line = 0;
    std::size_t size = 0;  // of "file:line: "
  };
  void collect();
  Place find_place(std::string_view text) const;
  Place find_frame(lua_State* state) const;
  struct Entry;  // the C functions that protect() and resume_error() enter Lua with
  SystemClock system_clock_;
  MemoryCap memory_;
  Budget budget_;
  lua_State* state_ = nullptr;
  Chunks chunks_;
  Entry* entry_ = nullptr;  // the innermost protect() that is running
  LuaRef on_error_;         // C functions of Entry, made once
  LuaRef run_body_;
};

// Compiles source text (never bytecode) and pushes the function, or the message "path:line: ..."
// when it does not compile. `path` is what messages and tracebacks name.
bool load_chunk(lua_State* state, std::string_view text, const std::string& path);

}  // namespace gibbous::lua
