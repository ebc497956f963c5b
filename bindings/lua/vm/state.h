// State: one lua_State with its memory cap, budget and sandbox; a Generation owns one. Every call
// into Lua from outside goes through protect(), so that no Lua error ever reaches a libuv callback.
// Loop thread only.
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

// The failure of a script. `file` and `line` say where, when the message names a place.
struct ScriptError {
  // script_error, budget_exceeded, memory_exceeded, cancelled, or a code of the tool's own.
  std::string code = "script_error";
  std::string message;  // without the leading file:line
  std::string file;
  int line = 0;
  std::string traceback;
  // "file:line: message", or the message alone.
  std::string text() const;
};

struct StateOptions {
  MemoryLimits memory;
  const Clock* clock = nullptr;  // the system clock when null; must outlive the State
};

class State {
 public:
  static Result<std::unique_ptr<State>> create(const StateOptions& options);
  // Closes the lua_State. A __gc that runs now must not use State.
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  lua_State* main() { return state_; }
  Budget& budget() { return budget_; }
  MemoryCap& memory() { return memory_; }
  // Returns the State that `state` (or a coroutine of it) belongs to. Takes a few nanoseconds and
  // does not touch the stack.
  static State& of(lua_State* state);

  // Runs fn(L) inside a protected C call under the given budget; Lua errors and std::exceptions
  // come back as ScriptError. The stack is balanced again afterwards. No yields. Calls may nest,
  // also below a running coroutine of this state: the outer budget then continues, and its clock
  // never stops. L is main(). fn keeps its references in C++ variables; values that it leaves on
  // the stack are dropped.
  bool protect(const BudgetLimits& limits, const std::function<void(lua_State*)>& fn,
               ScriptError* error);

  // For a coroutine whose lua_resume returned `status` (not 0, not LUA_YIELD): reads the error on
  // top of its stack, with the traceback of the dead coroutine. Reads `budget().exceeded()`, so
  // call it before the next arm(). The value stays on the stack. Never raises.
  ScriptError resume_error(lua_State* coroutine, int status);

  // Splits off the leading "file:line: " of a message when it names a chunk that this state has
  // loaded; `file` is the full path, even where Lua shortened it to "...end/of/path".
  void locate(std::string_view text, ScriptError* error) const;
  // Returns "file:line: " of the innermost function on the stack of `state` that comes from a
  // loaded chunk, or "".
  std::string where(lua_State* state) const;
  // Returns true when the message begins with such a place.
  bool has_place(std::string_view text) const { return find_place(text).chunk != nullptr; }

  // Frees all that is garbage, which takes some 20 ms. Outside protect().
  void collect();

 private:
  friend bool load_chunk(lua_State* state, std::string_view text, const std::string& path);
  friend bool load_compiled(lua_State* state, std::string_view bytes, const std::string& path);
  explicit State(const StateOptions& options);
  // Maps the chunk names of messages to paths.
  using Chunks = std::map<std::string, std::string, std::less<>>;
  struct Place {
    const std::string* chunk = nullptr;  // null: no place
    int line = 0;
    std::size_t size = 0;  // of "file:line: "
  };
  Place find_place(std::string_view text) const;
  Place find_frame(lua_State* state) const;
  // How much garbage may gather depends on how near the cap is.
  void set_pause();
  struct Entry;  // the C functions with which protect() and resume_error() enter Lua
  SystemClock system_clock_;
  MemoryCap memory_;
  Budget budget_;
  lua_State* state_ = nullptr;
  Chunks chunks_;
  bool is_small_ = true;    // less is in use than where garbage is collected more often
  Entry* entry_ = nullptr;  // the innermost running protect()
  LuaRef on_error_;         // C functions of Entry, made once
  LuaRef run_body_;
};

// Compiles source text (never bytecode) and pushes the function, or the message "path:line: ..."
// when it does not compile. Messages and tracebacks name `path`.
bool load_chunk(lua_State* state, std::string_view text, const std::string& path);
// The same for what the build made of a text, whose chunk name is "@" (cmake/compile_scripts.lua):
// LuaJIT checks no bytecode, so that other bytes could do anything.
bool load_compiled(lua_State* state, std::string_view bytes, const std::string& path);
// Returns the version of the LuaJIT that runs: "LuaJIT 2.1.0-beta3".
std::string luajit_version();

}  // namespace gibbous::lua
