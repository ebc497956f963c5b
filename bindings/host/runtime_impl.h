// Runtime::Impl: the parts of a runtime, in the order in which they are made and destroyed: loop,
// runs, waits, store, engine, monitor. Loop thread only.
#pragma once

#include <uv.h>

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bindings/host/ask_notice.h"
#include "bindings/host/border.h"
#include "bindings/host/decisions.h"
#include "bindings/host/layers.h"
#include "bindings/host/policy_redactor.h"
#include "bindings/host/run_events.h"
#include "bindings/host/state_gate.h"
#include "bindings/host/turn_watch.h"
#include "bindings/lua/api/script_store.h"
#include "bindings/lua/api/supervision_value.h"
#include "bindings/lua/call/engine.h"
#include "bindings/lua/call/spec_world.h"
#include "bindings/lua/load/config.h"
#include "bindings/lua/source/memory_files.h"
#include "bindings/lua/source/script_monitor.h"
#include "bindings/lua/vm/one_shot_timer.h"
#include "gibbous/runtime.h"
#include "runtime/queue/session_claim.h"
#include "runtime/queue/worker.h"
#include "runtime/recording/mailbox.h"
#include "runtime/recording/recording.h"
#include "runtime/runs/runs.h"
#include "runtime/supervise/supervisor.h"
#include "runtime/wait/waits.h"
#include "runtime/watch/run_watchers.h"

namespace gibbous {

struct Runtime::Impl {
  ~Impl();

  Status init(RuntimeOptions options);
  Status init_options(const RuntimeOptions& options);
  Status init_loop(uv_loop_s* borrowed);
  Status init_parts();
  Status init_tools(std::vector<HostTool> tools, std::vector<HostFunction> functions);
  Status add_part(Result<std::shared_ptr<const lua::HostPart>> part);
  Status remove_part(const std::string& name, const char* kind);
  // Loads the scripts with these tools; the ones before stay when that fails.
  Status use_tools(lua::HostTools tools);
  void make_specs();
  void connect_specs();
  void make_supervisor();
  void make_recording();
  void make_events();
  // Starts a queued run that this process has claimed.
  void start_queued(const RunRecord& run);
  void watch_again(Run& run, const RunRecord& recorded, const std::array<Offset, kStreams>& from);
  // Passes the result to `end`, once the messages that earlier processes left are loaded.
  void add_backlog(const std::string& session, CallResult result,
                   const std::function<void(CallResult)>& end);
  void note_given_later();
  // Begins a call, or holds it until its session is claimed.
  void call(CallId id, CallRequest request, std::function<void(CallResult)> on_done,
            std::function<void(const Progress&)> on_progress);
  bool knows_earlier_runs();
  bool has_session();
  void attempt_claim(bool answers);
  void claim_session();
  void begin_held_calls();
  // Its result has this code and message.
  bool cancel(CallId id, const std::string& code, const std::string& message);
  // A runtime that owns its session shows no other session's runs.
  bool may_show(const Run& run) const {
    return !options.claim_session || run.spec().client == session || options.state_dir.empty();
  }
  // Whose runs list_runs() lists of the journal; "": everybody's; none before it is known.
  std::optional<std::string> listed_client(std::string_view named) const {
    if (!named.empty() || !options.claim_session) return std::string(named);
    return session.empty() ? std::nullopt : std::optional(session);
  }
  bool is_listed(const Run& run, std::string_view of) const {
    if (of.empty()) return may_show(run);
    return run.spec().client == of || run.spec().session == of;
  }
  void end_session(const std::string& named);
  // Nor their output, but that of sessions which its calls have named.
  bool may_read(const Run& run) const {
    return may_show(run) || named_sessions.count(run.spec().client) != 0;
  }
  // The session of calls that name none; "" before it is claimed.
  const std::string& session_of(const std::string& named) const {
    return named.empty() ? session : named;
  }
  void deliver(const Event& event);
  const host::PolicyRedactor& redactor();
  // With a borrowed loop, scripts run from an idle handle while something is ready.
  void wake();
  void run_scripts();
  bool poll(PollBudget budget);
  void wait(std::chrono::milliseconds limit, bool passed_on);
  void keep_alive_while_called();
  // Closes now or, inside a callback, when that has returned.
  void request_close(std::function<void()> done);
  void close_pending();
  void close(std::function<void()> on_closed);
  void close_handles();
  void close_half_made();
  void give_up_parts();
  // Takes a runtime that could not be created.
  static void dispose(std::unique_ptr<Impl> failed);
  // Takes that of a Runtime which is destroyed, wherever that happens.
  static void end(std::unique_ptr<Impl> impl);
  // One that cannot be destroyed here stays reachable, so that no checker takes it for a leak.
  static void give_up(std::unique_ptr<Impl> impl);

  // Exists while a method that may call the host's callbacks is on the stack. With an own loop, the
  // outermost one does what callbacks have requested: it may delete the Impl.
  class Frame {
   public:
    explicit Frame(Impl& impl) : impl_(impl) { ++impl_.frames; }
    ~Frame() { impl_.leave_frame(); }
    Frame(const Frame&) = delete;
    Frame& operator=(const Frame&) = delete;

   private:
    Impl& impl_;
  };
  void leave_frame();
  // It closes now, or as soon as the callback has returned that wants it.
  bool is_ending() const { return closing || pending_close || doomed; }

  std::shared_ptr<host::Border> border = std::make_shared<host::Border>();
  int frames = 0;
  bool doomed = false;  // the Runtime is destroyed
  bool close_requested = false;
  bool passed_on = true;  // PollBudget::passed_on, when it closes
  std::optional<std::function<void()>> pending_close;

  RuntimeOptions options;
  lua::EngineOptions engine_options;
  RunsOptions runs_options;
  RecordingOptions recording_options;
  WorkerOptions worker_options;
  lua::AskSettings asks;
  Json sandbox;  // the least sandbox of every run: a request, or null
  std::vector<std::string> caches;
  SystemClock system_clock;
  lua::MemoryFiles memory_files;  // of the host; their bytes are in `options`
  std::shared_ptr<host::Layers> layers;
  std::vector<std::string> layer_notes;           // events, as JSON
  std::map<std::string, std::size_t> notes_told;  // how many of them a session has been given
  void add_layer_notes(const std::string& session, std::vector<std::string>* backlog);
  std::string recorded_policy;  // that the records of runs speak of: its hash
  // Non-null for specs, whose clock takes the place of the system's.
  std::unique_ptr<lua::SpecWorld> specs;
  const Clock* clock = &system_clock;

  std::unique_ptr<uv_loop_t> own_loop;
  uv_loop_t* loop = nullptr;
  bool owns_loop = false;
  std::unique_ptr<host::TurnWatch> turns;  // of an own loop, where a test asks for it
  // Freed in their close callbacks. The idle handle makes a borrowed loop turn while scripts are
  // ready; the keep-alive timer keeps the loop alive while calls are active (and always, when the
  // loop is the runtime's own).
  uv_idle_t* idle = nullptr;
  uv_timer_t* alive = nullptr;

  std::unique_ptr<Mailbox> posts;  // of the host
  std::unique_ptr<Runs> runs;
  std::unique_ptr<Waits> waits;
  std::unique_ptr<Supervisor> supervisor;
  std::unique_ptr<Recording> recording;
  std::unique_ptr<Worker> worker;  // destroyed before the recording
  std::unique_ptr<lua::ScriptStore> store;
  lua::HostTools host_tools;
  lua::Context context;
  std::unique_ptr<lua::Engine> engine;
  host::PolicyRedactor policy_redactor;
  std::unique_ptr<host::StateGate> state_gate;
  std::unique_ptr<host::AskNotice> ask_notice;
  std::string approver;  // see Decisions
  std::unique_ptr<host::Decisions> decisions;
  std::unique_ptr<lua::ScriptMonitor> monitor;
  std::unique_ptr<host::Backlog> backlog;
  std::unique_ptr<host::Repositories> repositories;
  std::unique_ptr<host::RunEvents> run_events;
  std::unique_ptr<RunWatchers> watchers;

  // A call whose session is not claimed yet, or whose session may have runs that are not taken over
  // yet.
  struct HeldCall {
    CallId id = 0;
    CallRequest request;
    std::function<void(CallResult)> on_done;
    std::function<void(const Progress&)> on_progress;
  };
  std::string session;
  std::set<std::string> named_sessions;  // of calls
  std::optional<SessionClaim> claim;
  lua::OneShotTimer claim_timer;
  bool claim_waits = false;  // for the state directory's file system
  enum class EarlierRuns : std::uint8_t { kUnasked, kAsked, kKnown };
  EarlierRuns earlier_runs = EarlierRuns::kUnasked;
  std::vector<HeldCall> held_calls;
  // Those that ended before they began: their callbacks come later, or at the end.
  std::vector<std::pair<std::function<void(CallResult)>, CallResult>> ended_calls;
  void deliver_ended();

  CallId last_call = 0;
  std::size_t calls_active = 0;
  std::shared_ptr<const std::function<void(const Event&)>> event_handler;
  std::function<void()> on_closed;
  Status end_problem;  // once recording and logs have ended
  void note_end_problem();
  int open_parts = 0;
  bool closing = false;
  bool closed = false;
};

}  // namespace gibbous
