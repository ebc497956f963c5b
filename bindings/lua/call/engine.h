// Engine: the Lua side of a runtime: the current generation, the calls, the queue of tasks that are
// ready to go on. The host facade owns one. Loop thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bindings/lua/call/context.h"
#include "bindings/lua/load/generation.h"
#include "gibbous/runtime.h"

namespace gibbous::lua {

class Call;

struct EngineLimits {
  Nanos call_lua{
      1'000'000'000};          // Lua time of one call, all its tasks together, waiting not counted
  Nanos slice{2'000'000};      // Lua time in one go
  Nanos cleanup{200'000'000};  // Lua time after a cancel
  std::size_t max_argument_bytes = std::size_t{1} << 20;
  std::size_t max_calls = 1000;    // at the same time
  std::size_t max_draining = 4;    // old generations that calls still hold
  Millis drain_deadline{600'000};  // then those calls are cancelled
};

struct EngineOptions {
  GenerationOptions generation;
  EngineLimits limits;
};

// One decision, for the log.
struct Decided {
  std::string id;  // 8 characters; an answer has that of its question
  const Json& effect;
  const Verdict& verdict;
  const AskAnswer* answer = nullptr;  // null: this is the policy's own verdict
  std::uint64_t generation = 0;
  std::string policy;  // hash
};

// A function of the scripts that is called by itself, not as a tool by somebody: to start a run
// that was queued, or because a watcher has matched.
struct HookCall {
  const LuaRef* function = nullptr;  // of the current generation; null: what `handler` says
  bool internal = false;             // an executor's: what it does is not asked about
  std::string handler;               // of a watcher, "on_ready"; "": start the run `queued_run`
  std::string tool;                  // whose effects they are
  std::string session;
  Json arguments;
  std::string queued_run;
  bool reserved = false;         // queued_run is a reserved run of the table
  bool approved = false;         // a person allowed it then; else the mode is asked again now
  std::string approved_command;  // what they have seen
  std::function<void(CallResult)> on_done;
};

class Engine {
 public:
  // Loads the first generation; fails when the scripts are broken (not when the policies are). Sets
  // context.engine. `context` must outlive the engine.
  static Result<std::unique_ptr<Engine>> create(EngineOptions options, Context& context);
  // Ends every call that is left with code "shutdown", from inside; their pending operations are
  // cancelled, their scripts do not run again. Timers close in the next turns of the loop, without
  // the engine.
  virtual ~Engine() = default;

  // Both callbacks come from run_ready, never from inside call(). on_done comes exactly once.
  virtual void call(CallId id, CallRequest request, std::function<void(CallResult)> on_done,
                    std::function<void(const Progress&)> on_progress) = 0;
  // The policy is not asked about the call itself, but about what it does. Its id, for cancel(); 0,
  // and nothing comes: the scripts have no such handler.
  virtual CallId run_hook(HookCall hook) = 0;
  // False when there is no such call any more. on_done still comes, later.
  virtual bool cancel(CallId id) = 0;
  virtual void cancel_all() = 0;
  // Calls whose on_done has not come yet, those made by tool.call included.
  virtual std::size_t active_calls() const = 0;

  virtual ReloadResult reload() = 0;
  virtual std::shared_ptr<Generation> current() = 0;

  // Asks the newest policy. on_verdict comes at once (inside) when it allows or denies, later when
  // an approver has to be asked, and never once the call is cancelled or has ended. `effect` must
  // hold kind; tool, permission, mode, session and workspace are filled in from the call.
  //
  // A call runs only when its effect of kind "call" was allowed or approved. For its later effects
  // an ask that comes from the mode alone counts as allow then, and so does one of a rule about the
  // very command that was approved; every other one is asked. `deny` always denies.
  virtual void ask(Call& call, Json effect, std::function<void(Verdict)> on_verdict) = 0;
  // Called from run_ready. Dropping every copy of AskRequest::reply denies.
  virtual void set_approver(std::function<void(AskRequest)> approver) = 0;
  // Hears of every verdict, at once, and of every answer to an ask.
  virtual void on_decision(std::function<void(const Decided&)> sink) = 0;

  // Resumes what is ready and delivers results, progress and events, until nothing is left or
  // `lua_time` is used (0: no limit). True while more is ready. Calls take turns, one slice each.
  // Not reentrant.
  virtual bool run_ready(Nanos lua_time) = 0;
  virtual bool has_ready() const = 0;
  // Called when the ready queue is no longer empty, so that the loop wakes.
  virtual void on_ready(std::function<void()> wake) = 0;
  // reload_ok, reload_failed, tools_changed, and log when Context::log is not set. The sink is
  // called from run_ready.
  virtual void on_event(std::function<void(Event)> sink) = 0;
  // Queues an event for the sink; `fields` is an object, "event" and "session" are added.
  virtual void emit(const std::string& name, const std::string& session, Json fields) = 0;
  // Queues a line for Context::log; without one it becomes the event `log`.
  virtual void log(const std::string& level, const std::string& message, Json fields,
                   const std::string& session) = 0;
  // The files of the current generation, and those of the last load when it failed: what the file
  // watcher watches.
  virtual std::vector<WatchedFile> watched_files() const = 0;
};

}  // namespace gibbous::lua
