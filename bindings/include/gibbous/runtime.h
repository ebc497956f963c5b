// gibbous::Runtime: the embedding API, and the only thing that Gibbous's own front ends talk to.
//
// A Runtime owns the scripts (Lua), the runs (child processes and their output) and one keeper
// process. It never blocks its caller, installs no signal handler and keeps no global state:
// several in one process do not know of each other. Its threads, which wait for the disk, call
// nobody and take no signals.
//
// Threads: a Runtime belongs to the thread that created it. Every method must be called there, and
// every callback comes there, from inside poll(), run_until_idle() or the borrowed loop; never from
// inside the call that registered it, except where said.
//
// Text in and out is UTF-8; JSON travels as text, so that no JSON library is part of this
// interface.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gibbous/status.h"

struct uv_loop_s;  // libuv's uv_loop_t

namespace gibbous {

// What a runtime is made from. Empty strings mean "the default".
struct RuntimeOptions {
  std::string config_file;   // Lua configuration file; none by default
  std::string scripts_dir;   // a directory with init.lua; the shipped scripts by default
  std::string policies_dir;  // a directory with init.lua; the shipped policies by default
  std::string mode;          // permission mode: default, auto, plan, dangerous, ci, or a team's own
  std::vector<std::string> toolsets;  // only these; all by default
  std::string state_dir;              // where durable things go; $XDG_STATE_HOME/gibbous by default
  std::string workspace;              // where runs start; the current directory by default
  std::string sandbox;                // the least that every run gets: none, workspace, readonly
  std::string keeper_path;            // the gibbous-keeper program; found by itself by default
  bool adopt_runs = true;  // take over runs that earlier hosts kept (on_host_death = 'keep')
  // Runs that may go on at the same time, at least, whatever limits.max_concurrent says.
  std::size_t min_concurrent = 0;
  // Lua time that a call has at least in each minute, whatever lua.call_ms says.
  std::chrono::milliseconds lua_time{0};
  bool work_queue = true;   // execute queued runs; programs that end soon leave that to others
  bool watch_files = true;  // reload scripts when their files change
  // The shipped rules are read when the first call is judged: create() takes some 30 ms less, and
  // that call so much longer. For programs that end soon, or whose first answer is awaited.
  bool lazy_policy = false;
  uv_loop_s* loop = nullptr;  // borrowed: must outlive the runtime's close(); own loop if null
};

// One call of a tool.
struct CallRequest {
  std::string tool;
  std::string arguments = "{}";  // a JSON object
  std::string session;           // "" is the session of callers that name none
  bool wants_progress = false;   // deliver on_progress for this call
  bool wants_backlog = false;    // take along what the session's agent has not seen
};

// How a call ended. Exactly one of these reaches on_done for each call.
struct CallResult {
  bool ok = false;   // the tool returned; otherwise `code` and `message` say why not
  std::string text;  // for the model
  std::string data;  // structured result: a JSON object, "" when the tool returned none
  // For !ok: invalid_arguments, unknown_tool, denied, needs_approval, cancelled, script_error,
  // budget_exceeded, shutdown, or the code that the tool itself raised (run_not_found, ...).
  std::string code;
  std::string message;
  std::string traceback;  // for script errors: Lua traceback, file:line first
  // Of a call that wants_backlog: events of its session that are worth an agent's while (watchers'
  // matches, background runs that ended, ...), oldest first, each a JSON object; 21 at most. They
  // are drained with it.
  std::vector<std::string> backlog;
};

using CallId = std::uint64_t;

struct Progress {
  double progress = 0;
  std::optional<double> total;
  std::string message;
};

// Something that happened without being asked for. `json` is the whole event as a JSON object with
// "event" (its name), "session" and, when it concerns a run, "run".
// Names: run_adopted (an earlier host started it), run_started, run_ended, run_requeued (its host
// died, and it waits to be started again), run_ready, run_not_ready (what it takes has come true,
// or not in time), the names that watchers were given, events_suppressed (so many matches of
// watchers were left out), run_log_failed, run_log_recovered, journal_failed (runs are not
// recorded; the message says why), journal_recovered, reload_ok, reload_failed, tools_changed,
// keeper_lost, log.
struct Event {
  std::string name;
  std::string session;
  std::string json;
};

// What a person, or a host in their place, says to an AskRequest.
struct AskAnswer {
  // How long the answer counts when it allows: for this once; for this session, until the runtime
  // ends; or remembered in the state directory, until it expires or is revoked
  // (`gibbous approvals`). It counts in this workspace, in the mode in which it was given and in
  // looser ones, never against a deny rule.
  enum class Remember : std::uint8_t { kOnce, kSession, kAlways };
  // What is remembered: this very command (or call), or whatever the same rule asks about.
  enum class About : std::uint8_t { kCommand, kRule };

  bool allow = false;
  std::string reason;  // for the model, when it is a no
  Remember remember = Remember::kOnce;
  About about = About::kCommand;
  std::chrono::seconds lasts{0};  // of kAlways; 0: without end
  std::string who;                // for the list of approvals
  bool nobody = false;            // nobody can be asked: as if there were no approver
};

// An `ask` verdict that waits for an answer. Give it by calling `reply` once, now or later, on the
// runtime's thread; dropping it without a call denies.
struct AskRequest {
  CallId call = 0;
  std::string id;  // of the decision, 8 characters; it is in the decision log
  std::string session;
  std::string tool;
  std::string arguments;  // JSON
  std::string effect;     // call, start, stdin or kill: what is about to happen
  std::string reason;     // a sentence for a person
  std::string rule;       // an id for logs
  std::string file;       // where the rule stands; "" when it is not known
  int line = 0;
  // The command line, made fit for a terminal (what nobody sees in it is shown as \x..), and the
  // commands that it would run, as they were understood; empty when it is none.
  std::string command;
  std::vector<std::string> commands;
  std::string subject;  // what an answer about the command is remembered under
  std::string mode;
  int mode_rank = 0;
  std::string workspace;
  std::string policy;  // hash of the policy's files
  std::function<void(const AskAnswer&)> reply;

  void answer(bool allow, std::string why) const {
    AskAnswer made;
    made.allow = allow;
    made.reason = std::move(why);
    reply(made);
  }
};

// What a model needs to know of a tool. `*_schema` and `annotations` are JSON objects.
struct ToolInfo {
  std::string name;
  std::string toolset;
  std::string title;
  std::string description;
  std::string permission;  // read, write or execute
  std::string input_schema;
  std::string output_schema;  // "" when the tool declares none
  std::string annotations;
};

// What one poll() may use. Zero means "no limit".
struct PollBudget {
  std::size_t bytes = 0;              // child output taken in
  std::chrono::microseconds lua{0};   // time inside scripts
  std::chrono::microseconds wall{0};  // stop starting new work after this long
};

struct ReloadResult {
  bool ok = false;
  std::uint64_t generation = 0;  // the generation in force afterwards
  std::string file;              // where it failed, when it did
  int line = 0;
  std::string message;
};

enum class ToolFormat { kMcp, kOpenAi, kAnthropic };

class Runtime {
 public:
  // Loads configuration, scripts and policies. A broken configuration or broken scripts fail; a
  // broken policy does not: the runtime starts, denies everything, and policy_error() says why.
  static Result<std::unique_ptr<Runtime>> create(RuntimeOptions options);

  // With an own loop: closes and waits for it. With a borrowed loop, call close() first and let the
  // loop run until on_closed.
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  // Starts a call; on_done comes exactly once, later. Progress comes only when asked for, before
  // on_done.
  CallId call(CallRequest request, std::function<void(CallResult)> on_done,
              std::function<void(const Progress&)> on_progress = nullptr);
  // Cancels a call: its children first, then what it waits for, then its coroutine. on_done still
  // comes, with code "cancelled". False when there is no such call any more.
  bool cancel(CallId call);

  void on_event(std::function<void(const Event&)> handler);
  // Asked when the policy says `ask` and no remembered approval answers it. Without an approver,
  // `ask` means deny, and the denial says how to approve.
  void on_ask(std::function<void(AskRequest)> handler);

  // The events of a session that nobody drained, oldest first, each a JSON object; bounded, the
  // oldest are dropped first and counted. What an earlier process with the same state directory
  // left is among them from the session's first call on that wants_backlog; the second form waits
  // for it. An event is delivered once; a process that is killed between delivering and noting it
  // may deliver it again, with the same content.
  std::vector<std::string> drain_backlog(std::string_view session);
  void drain_backlog(std::string session,
                     std::function<void(std::vector<std::string> events)> on_done);

  // The runs that are remembered, oldest first, each as a JSON object with what h:info() and, for
  // one that goes on, h:usage() give (scripts/meta/run.lua): state, limits, sandbox, memory,
  // processor, ports, who waits for input. "" is every session. on_done comes once, later, from the
  // loop, unless the runtime is closed before.
  void list_runs(std::string_view session,
                 std::function<void(std::vector<std::string> runs)> on_done);

  // What a remembered run has printed, chosen for meaning to fit 20 to 200000 tokens: the head, the
  // tail, the lines that look like errors, and a note of what is left out; stderr, where there is
  // any, below a line `--- stderr ---`. Fails with run_not_found.
  Result<std::string> excerpt(std::string_view run, std::size_t budget_tokens) const;

  // Own loop: does what is due and returns within the budget. Never waits. Returns true while there
  // is more that could be done at once.
  bool poll(PollBudget budget = {});
  // Own loop: waits for something to happen, at most `limit`, then does it.
  void wait(std::chrono::milliseconds limit);
  // For select/epoll hosts: becomes readable when poll() has something to do.
  int backend_fd() const;
  // When poll() must be called even if backend_fd() stays quiet; none: no need.
  std::optional<std::chrono::milliseconds> next_timeout() const;

  // The tools of the current generation and mode.
  std::vector<ToolInfo> tools() const;
  std::string tools_json(ToolFormat format) const;

  // Reads the shipped rules now, where lazy_policy put that off. For a quiet moment.
  void load_policy();
  // Loads scripts and policies again, now. On failure the old generation stays.
  ReloadResult reload();
  std::uint64_t generation() const;
  // Empty, or why every effect is denied at the moment.
  std::string policy_error() const;
  // One file and line for each thing that load found worth saying though it did not fail it.
  std::string mode() const;

  // Ends every run (stop signal, grace, SIGKILL), cancels every call and closes the loop handles.
  // The grace goes on in the keeper; on_closed comes when this process holds nothing any more.
  void close(std::function<void()> on_closed);
  // As close(), but for a process that is about to exit: hands the runs to the keeper and returns
  // at once.
  void hand_over();

 private:
  Runtime();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// "0.1.0"
const char* version();

}  // namespace gibbous
