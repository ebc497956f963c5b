// Shared by the methods of runs: they find the run, ask the policy about an effect, carry it out,
// and answer. Used by api_run*.cc. Loop thread only.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bindings/lua/api/api.h"
#include "bindings/lua/call/call.h"
#include "bindings/lua/call/context.h"
#include "bindings/lua/call/task.h"
#include "bindings/lua/load/generation.h"
#include "runtime/runs/runs.h"

struct lua_State;

namespace gibbous::lua {

// The key of the registry for the metatable of handles of runs.
inline constexpr const char* kRunHandleKey = "gibbous.run";
void push_handle(lua_State* state, const std::string& id);
// The id of the handle (or the id itself) at `index`; raises when it is neither.
std::string check_id(lua_State* state, int index);
// Returns true when the calling session may see the run.
bool is_own(lua_State* state, const Run& run);
// Finds a run that the calling session may see; null: there is none.
Run* find_own(lua_State* state, const std::string& id);
// Names the nearest id of the session's runs.
Status not_found(lua_State* state, const std::string& id);

// One effect on its way: asked of the policy, then carried out, then answered. Callbacks of the
// policy and of Runs hold it; the task may be gone by then.
struct Effect {
  Context& context;
  std::weak_ptr<Task> task;
  Completer complete;
  bool cancelled = false;
  std::function<void()> on_cancel;
  std::function<void()> withdraw;  // the question to a person, while it is open
  Verdict verdict;                 // set once it allowed
  std::vector<std::string> runs;   // which it is about
  bool asks_journal = false;       // specs stand still until it is answered

  void fail(const Status& status, const std::string& run = "") const {
    complete([status, run](lua_State* to) { return push_error(to, status, run); });
  }
  void answer(Json value) const {
    complete([value = std::move(value)](lua_State* to) {
      push_json(to, value);
      return 1;
    });
  }
};

// Waits until an effect is answered.
std::unique_ptr<PendingOp> pending(std::shared_ptr<Effect> effect);

// Asks the policy about `asked`; once it allows, `act` does it and answers through the effect.
int ask_then(lua_State* state, PolicyRequest asked,
             std::function<void(const std::shared_ptr<Effect>&)> act, bool asks_journal = false);

// Asks about something else that belongs to the same effect, before it is carried out; once the
// policy allows that, too, `act` gets its verdict. The effect keeps its own.
void ask_also(const std::shared_ptr<Effect>& effect, PolicyRequest asked,
              std::function<void(const Verdict&)> act);

// Finds the run, then asks about `asked` and does `act` with the run, if it is still there.
int effect_method(lua_State* state, const std::string& id, PolicyRequest asked,
                  std::function<void(const std::shared_ptr<Effect>&, Run&)> act);

// The methods of runs that are in files of their own.
int l_run_usage(lua_State* state);
int l_run_write(lua_State* state);
int l_run_send_keys(lua_State* state);
int l_run_writers(lua_State* state);
int l_run_close_stdin(lua_State* state);
int l_run_screen(lua_State* state);
int l_run_resize(lua_State* state);
int l_run_grep(lua_State* state);
// Reads the options of a wait at `index` and suspends the running task until the answer; for use as
// `return start_wait(L, 1, "");` in a leaf of push_suspending.
int start_wait(lua_State* state, int index, const std::string& default_run);

}  // namespace gibbous::lua
