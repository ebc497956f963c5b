// Engine: the Lua side of a runtime: the current generation, the calls, and the queue of tasks that
// are ready to continue. The runtime owns one. Loop thread only.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "bindings/lua/call/background_load.h"
#include "bindings/lua/call/beside.h"
#include "bindings/lua/call/call_spec.h"
#include "bindings/lua/call/context.h"
#include "bindings/lua/call/in_order.h"
#include "bindings/lua/call/progress_reports.h"
#include "bindings/lua/call/ready_calls.h"
#include "bindings/lua/load/engine_limits.h"
#include "bindings/lua/load/generation.h"
#include "bindings/lua/vm/one_shot_timer.h"
#include "gibbous/runtime.h"

namespace gibbous::lua {

class Call;

// A host numbers its calls from 1.
inline constexpr CallId kFirstHook = CallId{1} << 62;

struct EngineOptions {
  // create() sets the clock and the place, and binds the context before it calls `open_api`.
  GenerationOptions generation;
  EngineLimits limits;
  ProgressPace progress;
};

// One decision, for the log.
struct Decided {
  std::string id;  // 8 characters; an answer has the id of its question
  const PolicyRequest& request;
  const Verdict& verdict;
  const AskAnswer* answer = nullptr;  // null: the policy's own verdict
  std::uint64_t generation = 0;
  std::string policy;  // hash
};

// What has to be known before a command runs outside of a sandbox: it calls Engine::learn().
class Learner {
 public:
  virtual ~Learner() = default;
  virtual void begin() = 0;  // a command is to be judged
  // Whether what is known may be older than what a run has done.
  virtual bool is_behind() const = 0;
  // Calls `then` later, when it no longer is, or that cannot be told.
  virtual void catch_up(std::function<void()> then) = 0;
};

// What the host does for the engine. Each may be missing, and set at any time. They are called on
// the loop, from run_ready, but for `wake`, `post` and `on_decision`.
struct EngineHost {
  // Asks a person. Dropping every copy of AskRequest::reply denies.
  std::function<void(AskRequest)> approver;
  // Gets the id of a question to a person whose call has ended before it was answered.
  std::function<void(const std::string& id)> approval_withdrawn;
  // Asks the client of a call what its script asks. Dropping every copy of InputRequest::reply
  // answers that nothing can be asked.
  std::function<void(InputRequest)> asker;
  std::function<void(const std::string& id)> input_withdrawn;
  // Gets every verdict, at once, and every answer to an ask.
  std::function<void(const Decided&)> on_decision;
  // Gets reload_ok, reload_failed, tools_changed, and log when Context::log is not set.
  std::function<void(Event)> on_event;
  // The ready queue is no longer empty.
  std::function<void()> wake;
  // Callable from any thread: brings the end of work beside the loop back to it. Without it all is
  // done on the loop.
  std::function<void(std::function<void()>)> post;
  // Null: there is nothing to learn. It must outlive the engine, or be taken away.
  Learner* learner = nullptr;
};

class Engine {
 public:
  EngineHost host;

  // Loads the first generation; fails when the scripts are broken (not when the policies are). Sets
  // context.engine. `context` must outlive the engine.
  static Result<std::unique_ptr<Engine>> create(EngineOptions options, Context& context);
  // Ends every remaining call with code "shutdown", from inside; cancels their pending operations,
  // and their scripts do not run again. Timers close in the next turns of the loop, without the
  // engine.
  ~Engine();

  // Both callbacks come from run_ready, never from inside call(). on_done comes exactly once.
  void call(CallId id, CallRequest request, std::function<void(CallResult)> on_done,
            std::function<void(const Progress&)> on_progress);
  // Runs a hook. The policy judges its effects, not the call itself. Returns its id, for cancel();
  // 0, without callbacks, when the scripts have no such handler.
  CallId run_hook(CallSpec hook);
  // Returns false when the call no longer exists. Otherwise on_done still comes, later, with this
  // code and message.
  bool cancel(CallId id, const std::string& code = "cancelled",
              const std::string& message = "the call was cancelled");
  void cancel_all();
  // The calls whose on_done has not come yet, including those made by tool.call.
  std::size_t active_calls() const { return calls_.size(); }

  ReloadResult reload();
  // The same with another mode, which is in force when that succeeds.
  ReloadResult reload_in(const std::string& mode);
  // The same, later: the scripts are read and run on another thread, if work can be done beside the
  // loop. `on_done` comes on the loop, once the result is in force; a request that comes meanwhile
  // is carried out after it.
  void reload_later(const std::function<void()>& on_done);
  std::shared_ptr<Generation> current() { return current_; }
  // Places that this process has learnt of, by the name of a variable of path classes: policies
  // judge with them from now on, those that are loaded later, too.
  void learn(const std::string& name, std::vector<std::string> places);

  // Asks the newest policy. on_verdict comes at once (inside) when it allows or denies, later when
  // the command is long or an approver has to be asked, and never once the call is cancelled or has
  // ended. Fills in the fields of `asked` that belong to the call.
  //
  // A call runs only when its request of kind "call" was allowed or approved. For its later
  // effects, an ask that comes from the mode alone then counts as allow, and so does an ask of a
  // rule about exactly the command that was approved; every other ask goes to a person. `deny`
  // always denies.
  //
  // Returns a function that withdraws the question to a person; null when there is none. Call it
  // when no task waits for the verdict any more: then on_verdict does not come.
  using Withdraw = std::function<void()>;
  Withdraw ask(Call& call, PolicyRequest asked, std::function<void(Verdict)> on_verdict);
  // Resumes ready tasks and delivers results, progress and events, until nothing is left or
  // `lua_time` is used (0: no limit). Returns true while more is ready. Calls take turns, one slice
  // each, in the order of ready_calls.h. Not reentrant.
  bool run_ready(Nanos lua_time);
  bool has_ready() const;
  // Does `work` on a thread, then `then` on the loop unless the engine has gone. False: it cannot.
  bool run_beside(std::function<void()> work, std::function<void()> then);
  // The same for a request of a session. While one is under way, is_behind() is true, and what the
  // session requests next goes the same way: requests take effect in their order.
  bool run_in_order(const std::string& session, std::function<void()> work,
                    std::function<void()> then);
  bool is_behind(const std::string& session) const { return in_order_.is_busy(session); }
  // Queues an event for EngineHost::on_event. `fields` is an object; "event" and "session" are
  // added.
  void emit(const std::string& name, const std::string& session, Json fields);
  // Whether clients see the tool, or the prompt whose `run` it is, and can call it: as it is
  // defined, unless a script has said otherwise meanwhile. That counts until it is gone from the
  // scripts.
  bool is_enabled(const ToolDefinition& tool) const;
  void enable(const ToolDefinition& tool, bool enabled);
  // Queues a line for Context::log; without one it becomes the event `log`.
  void log(const std::string& level, const std::string& message, Json fields,
           const std::string& session);
  // The files for the monitor of files: those of the current generation, and those of the last load
  // when it failed.
  std::vector<MonitoredFile> monitored_files() const;

  // --- For its calls ---
  const EngineLimits& limits() const { return options_.limits; }
  Context& context() { return context_; }
  const std::string& mode() const { return options_.generation.mode; }
  // Those of the newest generation.
  const std::shared_ptr<const ErrorPatterns>& error_patterns() const {
    return current_->error_patterns();
  }
  // Calls `work` from run_ready, before calls get a turn.
  void post(std::function<void()> work);
  // Gives the call a turn.
  void make_ready(Call& call);
  // Called when the call has ended; its result is delivered next.
  void on_call_ended(Call& call);
  // Takes the generation of a call that has ended, which may be the last one to use it.
  void let_go(std::shared_ptr<Generation> generation);
  // Delivers queued events, so that they come before the result of a call.
  void flush_events();
  // Expires with the engine.
  std::weak_ptr<const void> lifetime() const { return lifetime_; }
  // Makes a call for tool.call. Fails with too_many_calls.
  Result<std::shared_ptr<Call>> start_child(Call& parent, std::string tool, Json arguments,
                                            std::function<void(CallResult)> on_done);

 private:
  Engine(EngineOptions options, Context& context);
  Status load_first();
  class Approval;
  // An event, or a line for Context::log.
  struct Notice {
    Event event;
    std::string level;  // "" for an event
    std::string message;
    Json fields;
  };
  struct Draining {
    std::weak_ptr<Generation> generation;
    Nanos since;
  };

  std::shared_ptr<Call> add_call(CallSpec spec);
  void notice(Notice notice);
  void wake();
  bool has_others() const;
  bool is_on_host(const PolicyRequest& asked) const;
  std::shared_ptr<paths::Answers> path_answers() const;
  Withdraw judge(Call& call, PolicyRequest asked, std::function<void(Verdict)> on_verdict);
  // The steps of a verdict that takes more than one turn.
  struct Judging;
  // Calls `then` later, when the rules of the policy in force have been read.
  void read_policy_beside(std::function<void()> then);
  void take_policy();
  bool has_to_learn(const PolicyRequest& asked, const Verdict& verdict) const;
  void analyse(const std::shared_ptr<Judging>& judging);
  void conclude(const std::shared_ptr<Judging>& judging);
  void ask_for_paths(const std::shared_ptr<Judging>& judging);
  Withdraw settle(Call& call, PolicyRequest asked, Verdict verdict,
                  std::function<void(Verdict)> on_verdict);
  Verdict decide(const PolicyRequest& asked);
  void note(const std::string& id, const PolicyRequest& asked, const Verdict& verdict,
            const AskAnswer* answer);
  void report_failure(const LoadFailure& failure, ReloadResult* result);
  void report_success(Generation& before, Generation& after);
  void report_notes();
  void take_over(std::shared_ptr<Generation> next);
  void forget_missing();
  void take_loaded(const std::function<void()>& on_done);
  void drain(std::shared_ptr<Generation> old);
  void dispose_unused();
  void dispose(std::shared_ptr<Generation> old);
  void check_draining();
  void look_at_waits();
  void cancel_calls_of(const Generation* generation, const std::string& message);

  EngineOptions options_;
  Context& context_;
  std::shared_ptr<const int> lifetime_ = std::make_shared<const int>(0);
  std::shared_ptr<Generation> current_;
  PathVariables learnt_;
  std::uint64_t next_generation_ = 1;
  CallId last_hook_ = kFirstHook;
  std::vector<MonitoredFile> failed_files_;  // of the last load, when it failed

  std::map<Call*, std::shared_ptr<Call>> calls_;
  std::map<CallId, Call*> by_id_;  // those made by the host
  ReadyCalls ready_;
  std::deque<std::function<void()>> posted_;
  std::deque<Notice> notices_;
  std::size_t dropped_notices_ = 0;
  std::map<std::string, bool> enabled_;  // by ToolDefinition::name
  std::set<std::string> said_notes_;     // about the layers of the configuration
  bool running_ = false;
  bool flushing_ = false;

  // Reads the next generation, if one is being read. Its result is dropped if a later load finished
  // first.
  std::unique_ptr<BackgroundLoad> loading_;
  bool load_is_stale_ = false;
  // Reads the rules of the policy in force, if that is deferred and something is to be judged.
  std::unique_ptr<BackgroundLoad> policy_read_;
  std::vector<std::function<void()>> waiting_for_policy_;
  std::function<void(lua_State*)> open_api_;  // without a context
  Beside beside_;
  InOrder in_order_;
  std::vector<std::shared_ptr<Generation>> let_go_;

  std::vector<Draining> draining_;
  OneShotTimer drain_timer_;
  OneShotTimer progress_timer_;  // while a call is there whose caller wants progress
};

}  // namespace gibbous::lua
