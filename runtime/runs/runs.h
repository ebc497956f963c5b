// Runs: the table of runs. Starts them through the keeper, takes in their output, ends them by
// kill, time limit or shutdown, and tells its observers. Loop thread only; ids come from the
// kernel's randomness.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gibbous/status.h"
#include "runtime/base/clock.h"
#include "runtime/keeper/client.h"
#include "runtime/runs/deadlines.h"
#include "runtime/runs/run.h"

struct uv_loop_s;

namespace gibbous {

class Ingest;

// The defaults are those of the documents that the toolsets come from.
struct RunLimits {
  std::size_t max_concurrent = 5;                    // runs that are starting or running
  Millis default_timeout{300'000};                   // 0: none
  std::size_t max_buffer_bytes = kDefaultRingBytes;  // a stream
  std::size_t head_bytes = kDefaultHeadBytes;        // a stream, kept for good
  Millis kill_grace{5'000};                          // stop signal to SIGKILL
  Millis timeout_grace{3'000};                       // the same after a time limit, and at shutdown
  Millis drain_limit{500};  // exit to "drained" while another process holds a pipe open
  std::size_t max_queued = 100;
  LimitSet run;                 // what no run may exceed, whatever it asks for
  std::size_t max_ended = 100;  // ended runs that are remembered; the oldest are forgotten first
};

// The current usage of a run.
struct RunUsage {
  TreeUsage tree;
  // In percent of one processor, since the last question, or since the start.
  double cpu_percent = 0;
};

struct RunsOptions {
  RunLimits limits;
  std::string shell = "/bin/sh";  // gets "-c" and the command line
  std::string workspace;          // absolute
  std::string temp_directory;     // absolute; logs may lie below it, and it is made for them
  std::vector<std::string> env;   // "NAME=value": what runs inherit
  std::string keeper_path;
  // The directory of the control sockets of detached runs; "": runs cannot be detached. Created on
  // first use.
  std::string keep_directory;
};

// All callbacks come from the loop, never from inside a call to Runs.
// Whether a process can be given the command, its words, directory and variables. Pure.
Status check_words(const RunSpec& spec);

class RunsObserver {
 public:
  virtual ~RunsObserver() = default;
  // It waits to be started, and Run::reason() says for what.
  virtual void on_queued(Run& run) { (void)run; }
  // The state changed: starting -> running -> ended.
  virtual void on_state(Run& run) { (void)run; }
  // Its readiness() is another one now.
  virtual void on_readiness(Run& run) { (void)run; }
  // New bytes [from, end) in a stream.
  virtual void on_output(Run& run, StreamId stream, Offset from) {
    (void)run, (void)stream, (void)from;
  }
  // A stream has ended, the drain limit passed, or the number of processes left behind changed.
  virtual void on_drain(Run& run) { (void)run; }
  // A log cannot be written (`problem` says why; the run goes on), or can be again ("").
  virtual void on_log(Run& run, const LogSpec& log, const std::string& problem) {
    (void)run, (void)log, (void)problem;
  }
  // A log was opened or written.
  virtual void on_log_progress(Run& run) { (void)run; }
  // The run is about to be forgotten; references to it are invalid afterwards.
  virtual void on_forget(Run& run) { (void)run; }
  virtual void on_keeper_lost(const std::string& reason) { (void)reason; }
  // Every observer knows what happened, and what followed from that.
  virtual void on_batch_end() {}
  // Whether it is notified of internal runs, too.
  virtual bool hears_internal() const { return false; }
};

class Runs final : private KeeperListener {
 public:
  static Result<std::unique_ptr<Runs>> create(uv_loop_s* loop, const Clock& clock,
                                              RunsOptions options);
  ~Runs() override;
  Runs(const Runs&) = delete;
  Runs& operator=(const Runs&) = delete;

  // Queues or starts; on_ready comes from the loop once it runs or could not be started
  // (code "start_failed", message with the step and errno). Fails at once with too_many_runs,
  // invalid_arguments, shutdown.
  Result<Run*> start(RunSpec spec, std::function<void(Run&, Status)> on_ready);
  // A run that is started later: it is listed as queued, with the reason, until start() is called
  // with its id, or refuse(), or kill(). Of `spec` that is taken by which it is known meanwhile.
  // Fails at once with too_many_runs, invalid_arguments, shutdown.
  Result<Run*> reserve(RunSpec spec, std::string reason);
  // A reserved run will not be started: it ends as failed. Of others, nothing.
  void refuse(Run& run, std::string reason);
  void set_readiness(Run& run, Readiness readiness, std::string note);
  // Stop signal, grace (the configured one when none), SIGKILL. on_done comes from the loop with
  // the report; a run that has ended with nothing left behind is answered {kGone}. Of a run that
  // was started again the one is meant that is there now.
  void kill(Run& run, int signal_number, std::optional<Millis> grace,
            std::function<void(Run&, const KillReport&)> on_done);
  void signal(Run& run, int signal_number);
  // Queues bytes for stdin; on_done comes when the child's pipe has taken them all, or with why not
  // (code "stdin_closed").
  void write(Run& run, std::string bytes, std::function<void(Status)> on_done);
  // Closes stdin after what is queued. A terminal stays open.
  void close_stdin(Run& run);

  // Changes the size of its terminal; programs in its foreground get SIGWINCH. Fails with
  // no_terminal, not_running, invalid_arguments.
  Status resize(Run& run, TerminalSize size);
  // What echoes text typed into its terminal now; kTerminal without one.
  Echo echo(const Run& run) const;

  // Looks at the run's processes now; on_usage comes from the loop, with nothing when there are
  // none.
  void usage(Run& run, std::function<void(Run&, const std::optional<RunUsage>&)> on_usage);

  // While it is held its output stays in its pipes, which makes it wait when they are full. Its
  // exit is still reported, at the drain limit at the latest.
  void hold(Run& run, bool held);

  // Takes over the detached runs of earlier hosts; on_state reports each one, before on_done, which
  // comes from the loop.
  void adopt_detached(std::function<void()> on_done);

  // From the loop's next turn, unless the table is closed before.
  void later(std::function<void()> work);

  Run* find(std::string_view id);  // null: no such run
  // The last of those that were started again for it; itself when none was.
  Run& newest(Run& run);
  // The id of a run that is nearly `id`, or "".
  std::string nearest(std::string_view id) const;
  std::vector<Run*> list();  // oldest first, without internal ones
  std::size_t active() const;
  const RunsOptions& options() const { return options_; }
  void set_limits(RunLimits limits) { options_.limits = limits; }  // for runs from now on

  // The ports of a run that is executed elsewhere, when they are known only after its start.
  void set_ports(Run& run, std::vector<PortMapping> ports);
  // Answers for executors about the end of their runs.
  void set_ask_executor(AskExecutor ask) { ask_executor_ = std::move(ask); }

  void add_observer(RunsObserver* observer);
  void remove_observer(RunsObserver* observer);

  void set_quota(std::size_t bytes);  // Ingest::set_quota
  bool has_more() const;
  pid_t keeper_pid() const;

  // Hands every tree to the keeper, which ends it (stop signal, timeout_grace, SIGKILL) and exits;
  // no observer hears of it. on_closed comes from the loop when all handles are closed; the object
  // may be deleted then.
  void close(std::function<void()> on_closed);
  // The same for a process that exits now: no loop turn is needed.
  void hand_over();

 private:
  struct Entry;
  class StreamTap;
  class LogTap;
  struct Adopted;

  Runs(uv_loop_s* loop, const Clock& clock, RunsOptions options);
  Status init();

  // KeeperListener
  void on_started(RunKey key, Started started) override;
  void on_start_failed(RunKey key, StartFailure failure) override;
  void on_exited(RunKey key, ExitStatus status) override;
  void on_left(RunKey key, std::uint32_t alive) override;
  void on_killed(RunKey key, KillReport report) override;
  void on_limit(RunKey key, LimitReached reached) override;
  void on_detached(KeeperClient& client, RunKey key, DetachedRun kept) override;
  void on_adopted(KeeperClient& client, const Status& status) override;
  void on_keeper_lost(std::vector<RunKey> keys, std::string reason) override;

  Status launch(Entry& entry);
  void connect_to(const std::string& socket_path, int attempts);
  void on_control_answered();
  std::string notes_of(const Run& run) const;
  bool read_notes(const std::string& notes, Run& run) const;
  void launch_queued();
  Status check(const RunSpec& spec) const;
  Entry* reserved_entry(const std::string& id) const;
  std::unique_ptr<Entry> make_entry(const std::string& id);
  void take_spec(Run& run, RunSpec spec) const;
  Run& add_entry(std::unique_ptr<Entry> entry);
  std::size_t queued() const;
  void kill_queued(Entry& entry);
  StartRequest request_for(const Entry& entry) const;
  void read_stream(Entry& entry, StreamId id, UniqueFd fd);
  void open_logs(Entry& entry);
  void notify_logs(Entry& entry, StreamId id);
  void finish_logs(Entry& entry);
  void log_finished(Entry& entry);
  bool settled(const Entry& entry) const;
  void finish(Entry& entry, RunState state, std::string reason);
  void finish_exited(Entry& entry);
  // Its executor is asked first. False: it has nothing to say.
  bool ask_at_end(Entry& entry);
  void take_execution_end(Entry& entry, const ExecutionEnd& end);
  void carry_out_cleanup(const Entry& entry);
  // The calls limit the runs that a caller waits for.
  static bool needs_place(const RunSpec& spec) { return spec.background && !spec.internal; }
  void take_place(const Entry& entry);
  void leave_place(const Entry& entry);
  void time_out(Entry& entry);
  Millis wall_limit(const Entry& entry) const;
  void watch_idle(Entry& entry);
  void count_output(Entry& entry, std::uint64_t bytes);
  // Ends the run by its limit, with the stop signal first.
  void end_by_limit(Entry& entry, LimitReached reached);
  void note_limit(Entry& entry, LimitReached reached);
  void update_drained(Entry& entry);
  std::size_t ended_runs() const;
  void forget_oldest();
  bool leads_to_others(Run& run);
  void release(Entry& entry);
  void notify_state(Entry& entry);
  // Notifies the observers of this run, and then marks the end of the batch.
  void notify_queued(const Run& run);
  void each_observer(const Run& run, const std::function<void(RunsObserver&)>& tell);
  void every_observer(const std::function<void(RunsObserver&)>& tell);
  Entry* entry_of(RunKey key);
  Entry& entry_of(Run& run);

  // Runs with a terminal (runs_terminal.cc).
  void open_terminal(Entry& entry, const UniqueFd& master);
  void show(Entry& entry, Offset from);
  void answer(Entry& entry, std::string_view bytes);
  static void follow_size(Entry& entry);

  uv_loop_s* loop_;
  const Clock& clock_;
  RunsOptions options_;
  std::unique_ptr<KeeperClient> keeper_;
  std::vector<std::unique_ptr<Adopted>> adopted_;
  std::size_t open_control_sockets_ = 0;  // that have not answered for good
  std::vector<std::function<void()>> on_adopted_;
  std::unique_ptr<Ingest> ingest_;
  std::unique_ptr<Deadlines> deadlines_;
  std::vector<std::unique_ptr<Entry>> entries_;  // oldest first
  std::unordered_map<RunKey, Entry*> by_key_;
  std::unordered_map<std::string, Entry*> by_id_;
  std::deque<Entry*> queue_;
  std::vector<RunsObserver*> observers_;
  int notifying_ = 0;  // depth
  AskExecutor ask_executor_;
  RunKey last_key_ = 0;
  std::size_t active_ = 0;
  int open_parts_ = 0;  // while closing
  std::function<void()> part_closed_;
  bool closing_ = false;
};

}  // namespace gibbous
