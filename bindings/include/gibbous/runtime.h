// gibbous::Runtime: the embedding API, and the only thing that Gibbous's own front ends talk to.
//
// A Runtime owns the scripts (Lua), the runs (child processes and their output) and one keeper
// process. It never blocks its caller, installs no signal handler and keeps no global state:
// several runtimes in one process are independent. Its threads, which wait for the disk and read
// scripts that have changed, call no callback and block all signals.
//
// Threads: a Runtime belongs to the thread that created it. Call every method there, except post().
// Every callback comes there too, from inside poll() or the borrowed loop, and never from inside
// the call that registered it, except where said.
//
// No call is undefined. A method that must not be carried out does nothing and says so with a
// Refusal: on another thread, in a forked child, after close() and, where said, inside a callback.
// A method that returns something else then returns 0, false, -1 or nothing, and check() says why.
// Inside a callback, close() and the destructor take effect when the callback has returned.
//
// A callback may throw: the exception ends at its border, and the event host_error says which
// callback it was and what it threw.
//
// Text in and out is UTF-8; JSON travels as text, so that no JSON library is part of this
// interface.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gibbous/catalogue.h"
#include "gibbous/host_tool.h"
#include "gibbous/input.h"
#include "gibbous/status.h"
#include "gibbous/task_use.h"

struct uv_loop_s;  // libuv's uv_loop_t

namespace gibbous {

// Why a method was not carried out.
enum class Refusal : std::uint8_t {
  kNone,         // it was
  kClosed,       // close() was called, or hand_over()
  kWrongThread,  // another thread created the runtime
  kForked,       // another process did, and this one is a child of it
  kReentrant,    // it must not be called from inside a callback
};
const char* to_string(Refusal refusal);  // "closed", "wrong_thread", "forked", "reentrant", "none"

// The options of a runtime. Empty strings mean "the default".
struct RuntimeOptions {
  std::string config_file;   // Lua configuration file; none by default
  std::string scripts_dir;   // a directory with init.lua; the shipped scripts by default
  std::string policies_dir;  // a directory with init.lua; the shipped policies by default
  // Scripts, policies and configuration from memory, by name: scripts/..., policies/... and
  // config.lua. scripts/init.lua takes the place of scripts_dir, policies/init.lua that of
  // policies_dir, config.lua that of config_file; naming both is an error. Messages call them
  // <host>/scripts/init.lua.
  std::map<std::string, std::string> files;
  // The layers of configuration besides the file above, which are "managed" (the directory
  // managed_dir, owned by root; nothing below loosens it), "user" ($XDG_CONFIG_HOME/gibbous, whose
  // config.lua config_file takes the place of) and "project" (`.gibbous` of the workspace, used
  // once it is trusted: layers.h). None by default: what an embedding program is configured by is
  // its own decision. The `gibbous` command uses all three.
  std::vector<std::string> layers;
  std::string managed_dir;  // absolute; /etc/gibbous by default
  std::string mode;         // permission mode: default, auto, plan, dangerous, ci, or a team's own
  std::vector<std::string> toolsets;  // only these toolsets; all by default
  // List every parameter of the tools, those that scripts call rare too; they are accepted always.
  bool all_parameters = false;
  std::string state_dir;  // directory of durable files; $XDG_STATE_HOME/gibbous by default
  std::string workspace;  // where runs start; the current directory by default
  std::string sandbox;    // the least sandbox of every run: none, workspace, readonly
  // The gibbous-keeper program, and the directory with the scripts and policies that ship (share/
  // gibbous): by default what the environment names (GIBBOUS_KEEPER, GIBBOUS_SHARE), else what lies
  // in the same install tree as this library or program, else what is built into the library.
  // "<built-in>" asks for that at once. A keeper that is none, or of another version, makes
  // create() fail; one that is built in is executed from memory (memfd_create).
  std::string keeper_path;
  std::string share_dir;
  // Files of the host that no run may read or change, such as a socket or a token by which Gibbous
  // is reached: policies count them as state, and sandboxes hide them.
  std::vector<std::string> hidden_paths;
  bool adopt_runs = true;  // take over detached runs of earlier hosts (on_host_death = 'keep')
  // Detached runs outlive this process, whatever kill_on_session_end says.
  bool keep_runs = false;
  // The soft limit of open files of runs; 0: that of this process. For a host that raises its own.
  std::uint64_t open_files = 0;
  // The least number of runs that may go on at the same time, whatever limits.max_concurrent says.
  std::size_t min_concurrent = 0;
  // The least Lua time a call gets in each minute, whatever lua.call_ms says.
  std::chrono::milliseconds lua_time{0};
  // The session of calls that name none. A name that ends with "@" gets the workspace: "claude@".
  std::string session;
  // Own that session, NAME@<workspace>: the first call that names none claims it. While another
  // living process owns the name, this one gets NAME#2, NAME#3, ...; an owner that is ending is
  // waited for. Needs a state directory.
  bool claim_session = false;
  // Secrets that runs name: env = { TOKEN = { secret = 'NAME' } } (docs/secrets.md), by name, in
  // addition to those of the configuration. No journal, list, log or answer shows them.
  std::map<std::string, std::string> secrets;
  // The environment that runs inherit, in place of this process's; the configuration's `env` and
  // that of a run are added to it, and HOME where it names none. What the runtime looks up for
  // itself (XDG_STATE_HOME, GIBBOUS_*, secrets with `env`) stays this process's, and the sandbox
  // hides the credentials of both homes.
  std::optional<std::map<std::string, std::string>> environment;
  // Execute queued runs of every session and workspace, not only of those that calls name here.
  bool work_for_others = false;
  // How long a call waits for a person's answer, whatever asks.wait_s of the configuration says; 0:
  // as long as on_ask has the question, and not at all without a handler that can ask.
  std::optional<std::chrono::seconds> ask_wait;
  // How long a question stays open, for other terminals (gibbous/asks.h), after its call was told
  // to come again, whatever asks.keep_s says. 0: it ends with its call, for short-lived programs.
  std::optional<std::chrono::seconds> ask_keep;
  bool work_queue = true;   // execute queued runs; short-lived programs leave that to others
  bool watch_files = true;  // reload scripts when their files change
  // Reads the shipped rules when the first call is judged, unless the state directory keeps what
  // was read of them: create() is about 30 ms faster, and that call as much slower. A thread reads
  // them, so that poll() is not. For short-lived programs, and for those that must answer soon.
  bool lazy_policy = false;
  // For tests of scripts, as `gibbous test` runs them: files with specs. Each spec becomes a tool
  // of a toolset `specs_N`, titled FILE:LINE, and may stop the runtime's clock and fake runs.
  std::vector<std::string> spec_files;
  std::vector<HostTool> tools;          // of the host
  std::vector<HostFunction> functions;  // of the host
  uv_loop_s* loop = nullptr;  // borrowed: must outlive the runtime's close(); own loop if null
};

inline constexpr int kMaxCallPriority = 100;

// What is called.
enum class CallKind : std::uint8_t {
  kTool,                // a tool, by its name
  kResource,            // a resource of the scripts is read, by its URI
  kPrompt,              // a prompt of the scripts, by its name
  kPromptCompletion,    // of an argument of a prompt, by the prompt's name
  kResourceCompletion,  // of a variable of a template, by the template
};

// One call of a tool, or of what scripts offer besides tools.
struct CallRequest {
  std::string tool;                      // its name; for a resource, the URI
  std::string arguments = "{}";          // a JSON object
  std::string session;                   // "": RuntimeOptions::session
  bool wants_progress = false;           // deliver on_progress for this call
  bool wants_backlog = false;            // add the events that the session's agent has not seen
  std::chrono::milliseconds timeout{0};  // ends it with the code `timeout`, as cancel() does; 0: no
  // Where there is more to do than a poll's budget allows, scripts of calls with a higher priority
  // run first, and of the same priority those that began first. -kMaxCallPriority to
  // kMaxCallPriority; the nearer of the two beyond.
  int priority = 0;
  // A resource takes no `arguments`, and those of a prompt are strings. Their results have `data`
  // in MCP's terms: {"contents": [...]} and {"description"?, "messages": [...]}. The policy judges
  // them as the tools `resource.NAME` and `prompt.NAME`.
  //
  // A completion takes {"argument", "value", "arguments"?}: the name, what was typed so far, and
  // the values of others. Its `data` is {"values": [...], "total", "hasMore"}, at most 100 values.
  CallKind kind = CallKind::kTool;
  // For hosts that make a call again after their process has ended: gets the arguments, a JSON
  // object, that a later process takes in place of these, because these name something that does
  // not outlive the runtime (tool.repeat_with in a script). Called on the runtime's thread before
  // on_done, any number of times; the last ones count.
  std::function<void(const std::string& arguments)> on_repeat_with;
};

// A run whose state a result reports (tool.tells in a script), and whether it had ended by then.
struct ReportedRun {
  std::string run;
  bool ended = false;
};

// The end of a call. Exactly one of these reaches on_done for each call.
struct CallResult {
  bool ok = false;   // whether the tool returned; otherwise `code` and `message` say why not
  std::string text;  // for the model
  std::string data;  // structured result: a JSON object, "" when the tool returned none
  // The tool says that models are to read the data, not the text; otherwise the text holds all that
  // a model needs, and the data is for programs.
  bool structured = false;
  // For hosts that can show more than text: the whole result as a JSON array of MCP's content
  // blocks (text, image, audio, resource, resource_link), binary data as base64, at most 4 MiB of
  // text and base64. "" when the tool returned text alone. `text`, or `message` of an error, then
  // says in brackets what else there is.
  std::string content;
  // When !ok: invalid_arguments, unknown_tool, denied, needs_approval, cancelled, timeout,
  // script_error, budget_exceeded, shutdown, tool_error (the tool returned is_error),
  // resource_not_found, unknown_prompt, or a code that the tool itself raised (run_not_found, ...).
  std::string code;
  std::string message;
  std::string traceback;  // for script errors: Lua traceback, file:line first
  // For a call with wants_backlog: events of its session that its agent should see (watchers'
  // matches, background runs that ended, ...), oldest first, each a JSON object; at most 21. They
  // count as drained.
  std::vector<std::string> backlog;
  // The result already covers these runs: events about their state are not in `backlog`.
  std::vector<ReportedRun> reported;
};

// Something that happened without a call. `json` is the whole event as a JSON object with "event"
// (its name), "session" and, when it concerns a run, "run".
// Names: ask_opened (a question waits for a person: "id", "tool", "command", "reason", "rule"),
// ask_answered (or it is over: "id", "decision", "who", "reason"), ask_notice_failed (asks.notify
// of the configuration did not work: "id", "message"), run_adopted (an earlier host started it),
// run_inherited (an earlier process of the session queued it; only in a backlog), run_started,
// run_ended, run_requeued (its host died, and it waits to be started again), run_ready,
// run_not_ready (its readiness conditions came true, or did not in time), layer_note (of the
// configuration's layers: "message"), the names of watchers,
// events_suppressed (how many matches of watchers were left out), run_log_failed,
// run_log_recovered, journal_failed (runs are not recorded; the message says why),
// journal_recovered, journal_cut (something that was recorded is gone), journal_set_aside (the
// journal of an older program now has another name), reload_ok, reload_failed, tools_changed,
// resources_changed (the list of the scripts' resources), resource_updated (a script
// says that what it reads is another now: "uri"), prompts_changed, keeper_lost, host_error (a
// callback of the host threw: "where", "message"), log.
struct Event {
  std::string name;
  std::string session;
  std::string json;
};

// The answer of a person, or of a host on their behalf, to an AskRequest.
struct AskAnswer {
  // How long an allowing answer counts: once; for this session, until the runtime ends; or always,
  // remembered in the state directory until it expires or is revoked (`gibbous approvals`). It
  // counts in this workspace, in the mode in which it was given and in looser ones, and never
  // against a deny rule.
  enum class Remember : std::uint8_t { kOnce, kSession, kAlways };
  // What is remembered: this very command (or call), word by word; everything that the rules of
  // the question ask about; or all commands that begin like this one (AskRequest::prefix). What may
  // not be remembered so counts as kCommand.
  enum class About : std::uint8_t { kCommand, kRule, kPrefix };

  bool allow = false;
  std::string reason;  // shown to the model when the answer is no, or no person can be asked
  Remember remember = Remember::kOnce;
  About about = About::kCommand;
  std::chrono::seconds lasts{0};  // for kAlways; 0: never expires
  std::string who;                // for the list of approvals
  bool no_approver = false;       // no person can be asked: as if there were no approver
  // With no_approver: the id under which the question stays open (gibbous/asks.h); the same call
  // may come again once it is answered. Set by the runtime, with the command that lists it where
  // the state directory is not the default one.
  std::string waits;
  std::string answered_with;
};

// An `ask` verdict that waits for an answer. Call `reply` once, now or later, on the runtime's
// thread; dropping it without a call denies. On another thread or in a forked child, neither does
// anything: the question then waits for the end of its call.
struct AskRequest {
  CallId call = 0;
  std::string id;  // of the decision, 8 characters; also in the decision log
  std::string session;
  std::string tool;
  std::string arguments;  // JSON
  std::string effect;     // call, start, stdin or kill: what was requested
  std::string reason;     // a sentence for a person
  std::string rule;       // an id for logs
  // The ids of all rules and doubts that ask, `rule` first: an answer about the rule approves each.
  std::vector<std::string> rules;
  bool may_approve_rules = false;  // false: one of them stands for whatever nothing is known about
  // What an answer about the prefix approves, as "npm run *": the same program with these words
  // first, nothing else in the line, and no other rule that asks. "": the command has none.
  std::string prefix;
  std::vector<std::string> prefixes;  // keys under which approvals of prefixes are looked for
  std::string file;                   // where the rule is; "" when unknown
  int line = 0;
  // The command line, safe to print on a terminal (invisible characters as \x..), and the commands
  // that it would run, as they were understood; empty when there is no command.
  std::string command;
  std::vector<std::string> commands;
  bool typed = false;   // it is about text for a program's input, which is never written down
  std::string subject;  // the key under which an answer about the command is remembered
  std::string mode;
  int mode_rank = 0;
  std::string workspace;
  std::string policy;  // hash of the policy's files
  // Returns false when it comes too late: it was answered, or its call has ended.
  std::function<bool(const AskAnswer&)> reply;

  void answer(bool allow, std::string why) const {
    AskAnswer made;
    made.allow = allow;
    made.reason = std::move(why);
    reply(made);
  }
};

enum class OutputStream : std::uint8_t { kStdout = 1, kStderr = 2 };

// A part of a run's output, under offsets that never shift.
struct OutputBytes {
  std::string bytes;
  std::uint64_t from = 0;  // where `bytes` begins: after the cursor where earlier ones are gone
  std::uint64_t next = 0;  // the cursor of the next read
  bool ended = false;      // there will be no byte at `next` or after it
};

// The budget of one poll(). Zero means "no limit".
struct PollBudget {
  std::size_t bytes = 0;              // child output to take in
  std::chrono::microseconds lua{0};   // time inside scripts
  std::chrono::microseconds wall{0};  // start no new work after this long
  // Whether what callbacks were given has been passed on. Events of a session's backlog count as
  // delivered only then: a process that is killed before leaves them to the next one.
  bool passed_on = true;
};

struct ReloadResult {
  bool ok = false;
  std::uint64_t generation = 0;  // the generation in force afterwards
  std::string file;              // where it failed, if it did
  int line = 0;
  std::string message;
};

class Runtime {
 public:
  // Loads configuration, scripts and policies. A broken configuration or broken scripts make it
  // fail. A broken policy does not: the runtime starts, denies everything, and policy_error() says
  // why.
  static Result<std::unique_ptr<Runtime>> create(RuntimeOptions options);

  // With an own loop: closes, and waits for that. With a borrowed loop: closes, and the loop does
  // the rest when it runs. Inside a callback, both begin when that has returned. On another thread,
  // or in a forked child, nothing is closed: what the runtime has ends with its process.
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  // Returns why a method would be refused here and now; `outside`: one that is refused inside a
  // callback, too (poll, wait, reload, load_policy, add_tool, remove_tool). Any thread, also in a
  // forked child.
  Refusal check(bool outside = false) const;
  // Calls `work` from inside a later poll(), or from the borrowed loop; close() drops what waits.
  // The one method for other threads; it makes backend_fd() readable. The runtime must not be
  // deleted meanwhile.
  Refusal post(std::function<void()> work);

  // Starts a call; on_done comes exactly once, later. Progress comes only when requested, before
  // on_done. Returns 0 when it is refused, and then on_done never comes.
  CallId call(CallRequest request, std::function<void(CallResult)> on_done,
              std::function<void(const Progress&)> on_progress = nullptr);
  // Cancels a call: its children first, then what it waits for, then its coroutine. on_done still
  // comes, with code "cancelled". Returns false when the call no longer exists.
  bool cancel(CallId call);

  // null takes the handler back, also after close().
  Refusal on_event(std::function<void(const Event&)> handler);
  // Sets the handler that is called when the policy says `ask` and no remembered approval answers
  // it. Without one, `ask` means deny, and the denial says how to approve. `on_withdrawn` gets the
  // AskRequest::id of a question whose call has ended before it was answered.
  Refusal on_ask(std::function<void(AskRequest)> handler,
                 std::function<void(const std::string& id)> on_withdrawn = nullptr);

  // Sets the handler of what scripts ask the clients of calls. Without one, they get an error with
  // the code cannot_ask. `on_withdrawn` gets the InputRequest::id of one whose script waits no
  // longer.
  Refusal on_input(std::function<void(InputRequest)> handler,
                   std::function<void(const std::string& id)> on_withdrawn = nullptr);

  // Drains the unseen events of a session, oldest first, each a JSON object. The list is bounded:
  // the oldest are dropped first and counted. It includes what an earlier process with the same
  // state directory left, from the session's first call with wants_backlog on; the second form
  // waits for that. Each event is delivered once, but a process that is killed between delivering
  // and recording that may deliver it again, with the same content.
  std::vector<std::string> drain_backlog(std::string_view session);
  Refusal drain_backlog(std::string session,
                        std::function<void(std::vector<std::string> events)> on_done);

  // Lists the remembered runs, oldest first, each as a JSON object with the fields of h:info() and,
  // while it goes on, of h:usage() (scripts/meta/handle.lua): state, limits, sandbox, memory,
  // processor time, ports, what waits for input. Runs that wait in the queue come last, with what
  // the journal has of them. "" means every session, or the owned one where there is one; a name,
  // just that one. on_done comes once, later, unless the runtime is closed.
  Refusal list_runs(std::string_view session,
                    std::function<void(std::vector<std::string> runs)> on_done);

  // Gives what happened to a run (its states, readiness, limits, matches of watchers), as the
  // journal has it: a JSON object {"run", "events": [{"seq", "type": "state" | "event" | "note",
  // "payload", "meta"?, "created_ms"}], "more"?: true}, the newest `most` of them (at most 1000),
  // oldest first. The run must be of that session, in the sense of list_runs(). on_done comes once,
  // later, unless the runtime is closed; with run_not_found, or with the error of a journal that
  // cannot be read.
  Refusal run_events(std::string_view session, std::string run, std::size_t most,
                     std::function<void(Result<std::string>)> on_done);

  // Returns whether list_runs() lists the run for the session.
  bool has_run(std::string_view run, std::string_view session) const;
  // Ends a session of a name that will not be used again: each of its runs as kill does, with the
  // grace of a time limit, and what it has queued. Detached runs (on_host_death = 'keep') go on.
  // Nothing happens to the session of calls that name none.
  Refusal end_session(const std::string& session);

  // Returns the output of a remembered run, selected to fit 20 to 200000 tokens: the head, the
  // tail, lines that look like errors, and a note about what is left out; stderr, if any, follows a
  // line `--- stderr ---`. Fails with run_not_found, or with the code of a Refusal.
  Result<std::string> excerpt(std::string_view run, std::size_t budget_tokens) const;

  // Returns raw output of a remembered run, at most `most` bytes from `cursor` on; reading consumes
  // nothing. A UTF-8 sequence is not cut unless `most` is too small for it. Fails with
  // run_not_found, or with the code of a Refusal.
  Result<OutputBytes> read_output(std::string_view run, OutputStream stream, std::uint64_t cursor,
                                  std::size_t most) const;

  // Own loop: does what is due and returns within the budget. Never waits. Returns true when more
  // could be done at once. After close(), it is carried out until on_closed. Not inside a callback.
  bool poll(PollBudget budget = {});
  // Own loop: waits for something to happen, at most `limit`, then does it. As poll(); `passed_on`
  // is PollBudget's.
  Refusal wait(std::chrono::milliseconds limit, bool passed_on = true);
  // For select/epoll hosts: a descriptor that becomes readable when poll() has something to do.
  int backend_fd() const;
  // The latest time of the next poll() even if backend_fd() stays quiet; none: no need.
  std::optional<std::chrono::milliseconds> next_timeout() const;

  // The tools of the current generation and mode.
  std::vector<ToolInfo> tools() const;
  std::string tools_json(ToolFormat format) const;
  // ToolInfo::task of one tool, without the cost of the list; the default for an unknown one.
  TaskUse task_use(std::string_view tool) const;
  // The resources of the current generation, by URI.
  std::vector<ResourceInfo> resources() const;
  // Returns true when a resource has the URI or a template fits it; reading it may still find none.
  bool has_resource(std::string_view uri) const;
  // What the client of a call of the tool must be able to answer (`asks` in Lua): form, model,
  // roots. Empty for an unknown tool.
  std::vector<std::string> asks_of(std::string_view tool) const;
  // The prompts of the current generation, by name.
  std::vector<PromptInfo> prompts() const;
  // The tools that strict formats cannot describe, each as `NAME: PLACE PROBLEM`.
  std::vector<std::string> tools_not_strict() const;

  // Adds a tool of the host, or removes one, and loads the scripts again with it, which takes as
  // long as reload(). Fails with invalid_arguments (the message names the field), script_error (its
  // name is taken, its schema is wrong), tool_not_found or the code of a Refusal; then nothing has
  // changed. Not inside a callback.
  Status add_tool(HostTool tool);
  Status remove_tool(std::string_view name);
  // The same for functions.
  Status add_function(HostFunction function);
  Status remove_function(std::string_view name);

  // Reads the shipped rules now if lazy_policy deferred that. Call it in a quiet moment.
  // Not inside a callback.
  Refusal load_policy();
  // Reloads scripts and policies now. On failure the old generation stays. Not inside a callback;
  // the message then is the code of the Refusal.
  ReloadResult reload();
  // The same in another permission mode, which judges whatever comes afterwards, also what calls
  // and runs do that began before. On failure, and where a layer of the configuration does not
  // leave the mode open, the old one stays. Not inside a callback.
  ReloadResult set_mode(const std::string& mode);
  std::uint64_t generation() const;
  // Returns the session of calls that name none: RuntimeOptions::session, or, where it is claimed,
  // the owned name, which is "" before the first such call.
  std::string session() const;
  // Returns the state directory, for gibbous/asks.h and gibbous/approvals.h; "" when there is none.
  std::string state_dir() const;
  // The client of the owned session has gone: the next process waits for the name. close() and
  // hand_over() do this too.
  Refusal announce_end();
  // Returns why every effect is denied at the moment, or "".
  std::string policy_error() const;
  // Returns the permission mode in force.
  std::string mode() const;

  // Ends every run (stop signal, grace, SIGKILL), cancels every call and closes the loop handles.
  // The keeper carries out the grace; on_closed comes when this process holds nothing any more.
  // on_done of active calls comes from inside this method. `passed_on` is PollBudget's. A file
  // system that does not answer delays this by two or three seconds: threads that hang there are
  // given up and end with it, and the process cannot exit before.
  Refusal close(std::function<void()> on_closed, bool passed_on = true);
  // Like close(), but for a process that is about to exit: hands the runs over to the keeper and
  // returns at once. A close() may follow, to end the calls.
  Refusal hand_over(bool passed_on = true);
  // After either, from on_closed on: path_unanswered, and what may be missing in the journal and in
  // logs, when a file system did not answer. Loop thread; ok while there is nothing to tell.
  Status end_problem() const;

 private:
  Runtime();
  Refusal check_turn() const;
  Refusal check_handler(bool given) const;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// "0.2.0"
const char* version();

}  // namespace gibbous
