// Runs: the table of runs. Starts them through the keeper, reads their output, ends them by kill,
// time limit or shutdown, and notifies its observers. All callbacks come from the loop, never from
// inside a call to Runs. Loop thread only; ids come from the kernel's randomness.
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
#include "runtime/base/random_id.h"
#include "runtime/base/shell_program.h"
#include "runtime/keeper/client.h"
#include "runtime/output/disk_threads.h"
#include "runtime/process/proc.h"
#include "runtime/runs/deadlines.h"
#include "runtime/runs/run.h"

struct uv_loop_s;

namespace gibbous {

class Ingest;
class PathLookups;

inline constexpr Millis kUsualTimeout{300'000};

// The toolsets document these defaults.
struct RunLimits {
  std::size_t max_concurrent = 5;  // runs of one owner (owner_of) that are starting or running
  // 0: none; negative: not configured (RunSpec::usual_timeout)
  Millis default_timeout{-1};
  std::size_t max_buffer_bytes = kDefaultRingBytes;  // a stream
  std::size_t head_bytes = kDefaultHeadBytes;        // a stream, kept for good
  Millis kill_grace{5'000};                          // stop signal to SIGKILL
  Millis timeout_grace{3'000};                       // the same after a time limit, and at shutdown
  Millis drain_limit{500};  // exit to "drained" while another process holds a pipe open
  std::size_t max_queued = 100;
  LimitSet run;                 // no run may exceed these limits
  std::size_t max_ended = 100;  // ended runs to remember; the oldest are forgotten first
  // A session may write so much to caches (SandboxSpec::layer_bytes). 0: no limit.
  std::uint64_t cache_bytes = std::uint64_t{4} << 30;
};

// The current usage of a run.
struct RunUsage {
  TreeUsage tree;
  // In percent of one processor, since the last call, or since the start.
  double cpu_percent = 0;
};

struct RunsOptions {
  RunLimits limits;
  std::string shell = default_shell();  // for command lines, as shell_words() says
  std::string workspace;                // absolute
  std::string temp_directory;    // absolute; logs may be below it, and it is created for them
  std::vector<std::string> env;  // "NAME=value"; runs inherit them
  std::string keeper_path;
  std::uint64_t open_files = 0;  // KeeperOptions::open_files
  // The directory of the control sockets of detached runs; "": runs cannot be detached. Created on
  // first use.
  std::string keep_directory;
  // Where keepers record the ends of runs that this process may not record; "": nowhere. Only its
  // parent must exist.
  std::string end_directory;
};

// Checks that a process can be given the command, its words, directory and variables. Pure.
Status check_words(const RunSpec& spec);

class RunsObserver {
 public:
  virtual ~RunsObserver() = default;
  // The run waits to be started; Run::reason() says for what.
  virtual void on_queued(Run& run) { (void)run; }
  // The state changed: starting -> running -> ended.
  virtual void on_state(Run& run) { (void)run; }
  // Its readiness() has changed.
  virtual void on_readiness(Run& run) { (void)run; }
  // New bytes [from, end) in a stream.
  virtual void on_output(Run& run, StreamId stream, Offset from) {
    (void)run, (void)stream, (void)from;
  }
  // A caller has changed the size of its terminal. A change that its own programs make counts from
  // the next on_output() on.
  virtual void on_resize(Run& run) { (void)run; }
  // A stream has ended, the drain limit passed, or the number of processes left behind changed.
  virtual void on_drain(Run& run) { (void)run; }
  // A log cannot be written (`problem` says why; the run goes on), or can be written again ("").
  virtual void on_log(Run& run, const LogSpec& log, const std::string& problem) {
    (void)run, (void)log, (void)problem;
  }
  // A log was opened or written.
  virtual void on_log_progress(Run& run) { (void)run; }
  // The run is about to be forgotten; references to it are invalid afterwards.
  virtual void on_forget(Run& run) { (void)run; }
  virtual void on_keeper_lost(const std::string& reason) { (void)reason; }
  // Every observer is notified of what happened and of its consequences.
  virtual void on_batch_end() {}
  // Returns whether it is notified of internal runs too.
  virtual bool hears_internal() const { return false; }
};

class Runs final : private KeeperListener {
 public:
  static Result<std::unique_ptr<Runs>> create(uv_loop_s* loop, const Clock& clock,
                                              RunsOptions options);
  ~Runs() override;
  Runs(const Runs&) = delete;
  Runs& operator=(const Runs&) = delete;

  // Queues or starts a run; the loop calls on_ready once it runs or could not be started (code
  // "start_failed", message with the step and errno). Fails at once with too_many_runs,
  // invalid_arguments, shutdown.
  Result<Run*> start(RunSpec spec, std::function<void(Run&, Status)> on_ready);
  // Reserves a run for a later start: it is listed as queued, with the reason, until start() is
  // called with its id, or refuse(), or kill(). `spec` says how to list it meanwhile. Fails at once
  // with too_many_runs, invalid_arguments, shutdown.
  Result<Run*> reserve(RunSpec spec, std::string reason);
  // Ends a reserved run as failed; does nothing for others.
  void refuse(Run& run, std::string reason);
  void set_readiness(Run& run, Readiness readiness, std::string note);
  // Sends the stop signal, waits for the grace (by default the configured one), sends SIGKILL. The
  // loop calls on_done with the report, which is {kGone} for a run that has ended with nothing left
  // behind. For a restarted run, this kills the current one.
  void kill(Run& run, int signal_number, std::optional<Millis> grace,
            std::function<void(Run&, const KillReport&)> on_done);
  void signal(Run& run, int signal_number);
  // Queues bytes for stdin; calls on_done when the child's pipe has taken them all, or with the
  // reason why not (code "stdin_closed").
  void write(Run& run, std::string bytes, std::function<void(Status)> on_done);
  // Closes stdin after the queued bytes. A terminal stays open.
  void close_stdin(Run& run);

  // Changes the size of its terminal; programs in its foreground get SIGWINCH. Fails with
  // no_terminal, not_running, invalid_arguments.
  Status resize(Run& run, TerminalSize size);
  // Returns what echoes text typed into its terminal now; kTerminal without one.
  Echo echo(const Run& run) const;
  // Returns the words of the programs that own its terminal now; none without one.
  std::vector<std::vector<std::string>> foreground(const Run& run) const;

  // Looks at the run's processes now; the loop calls on_usage, with nothing if there are none.
  void usage(Run& run, std::function<void(Run&, const std::optional<RunUsage>&)> on_usage);

  // While held, its output stays in its pipes, and it waits when they are full. Its exit is still
  // reported, soon after the drain limit at the latest, and all that it wrote is read before.
  void hold(Run& run, bool held);

  // Says that a detached run is on disk up to these offsets of its streams, and with `end` whole:
  // its keeper need not keep that for the next host. Nothing happens for other runs.
  void recorded(const std::string& id, const std::array<Offset, kStreams>& to, bool end);

  // Takes over the detached runs of earlier hosts; on_state reports each one, and then the loop
  // calls on_done.
  void adopt_detached(std::function<void()> on_done);

  // Returns who has the keeper of another host, whose processes are of this pid_space(): the one
  // with this identity, or one that the host started, which is known once it has a detached run.
  // kHere: this process has taken it over, and knows each of its runs.
  enum class KeeperPlace : std::uint8_t { kGone, kHere, kElsewhere };
  KeeperPlace keeper_place(const std::string& space, const ProcessIdentity& keeper,
                           const ProcessIdentity& host) const;

  // Calls `work` in the loop's next turn, unless the table is closed before.
  void later(std::function<void()> work);
  // The same, once `delay` has passed by the runtime's clock.
  Deadlines::Token after(Nanos delay, std::function<void()> work);
  // Names the temporary directories of a session's sandboxed runs: temporary_path() says where.
  std::string temporary_group(const std::string& session) const;
  // Returns true when those have something at `path`, which is absolute. Never waits.
  bool has_temporary(const std::string& session, const std::string& path) const;
  PathLookups& paths() { return *paths_; }
  void cancel(Deadlines::Token& token) { deadlines_->cancel(token); }
  // A test has moved the clock.
  void clock_moved() { deadlines_->clock_moved(); }

  // --- Runs without processes, for tests of scripts (runs_fake.cc) ---
  // A run for which `plays` is true when it starts has no process: it prints, reads and ends as the
  // functions below say, and everything else is as with any run. A kill ends it; a stubborn one
  // ends only by SIGKILL, after the grace.
  enum class Play : std::uint8_t { kNo, kFake, kStubborn };
  void set_fakes(std::function<Play(const Run&)> plays) { plays_ = std::move(plays); }
  bool is_fake(Run& run);
  // Its output comes in the loop's next turn. Does nothing once it has ended.
  void print_fake(Run& run, StreamId stream, std::string bytes);
  void end_fake(Run& run, ExitStatus status);
  // Returns and forgets what was written to its stdin.
  std::string take_typed(Run& run);

  Run* find(std::string_view id);  // null: no such run
  // Returns the last restart of the run, or the run itself.
  Run& newest(Run& run);
  // Returns the id of a run that is similar to `id`, or "".
  std::string nearest(std::string_view id) const;
  std::vector<Run*> list();  // oldest first, without internal ones
  // Those that are starting or running, and that limits.max_concurrent counts: of all owners, and
  // of one.
  std::size_t active() const;
  std::size_t active_of(const std::string& owner) const;
  const std::unordered_map<std::string, std::size_t>& active_by_owner() const { return places_; }
  const RunsOptions& options() const { return options_; }
  void set_limits(RunLimits limits) { options_.limits = limits; }  // for later runs

  // Sets the ports of a run that is executed elsewhere, if they are known only after its start.
  void set_ports(Run& run, std::vector<PortMapping> ports);
  // Sets the function that asks executors about the ends of their runs.
  void set_ask_executor(AskExecutor ask) { ask_executor_ = std::move(ask); }

  void add_observer(RunsObserver* observer);
  void remove_observer(RunsObserver* observer);

  // Ingest::set_quota; the keeper's messages keep to the same time.
  void set_quota(std::size_t bytes, Nanos until = Nanos::max());
  bool has_more() const;
  pid_t keeper_pid() const;

  // Its call lets it go on: the usual limit of what a call waits for ends.
  void detach(Run& run);
  // Hands every tree to the keeper, which ends it (stop signal, timeout_grace, SIGKILL) and exits;
  // observers are not notified. A log has two seconds to be written. The loop calls on_closed when
  // all handles are closed; the object may be deleted then.
  void close(std::function<void()> on_closed);
  // Does the same for a process that exits now, without a loop turn.
  void hand_over();
  // After close(): of each log that could not be written to its end, its path and why.
  const std::vector<std::string>& unwritten_logs() const { return unwritten_logs_; }

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
  void on_detached(KeeperClient& client, RunKey key, DetachedRun detached) override;
  void on_adopted(KeeperClient& client, const Status& status) override;
  void on_keeper_lost(std::vector<RunKey> keys, std::string reason) override;
  bool has_time() override;

  Status launch(Entry& entry);
  void launch_fake(Entry& entry);
  void exit_fake(RunKey key, ExitStatus status, KillReport::How how);
  // These ask the keeper, or play it for a fake run.
  void kill_processes(Entry& entry, int signal_number, Millis grace);
  void signal_processes(Entry& entry, int signal_number);
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
  bool is_full(const std::string& owner) const;
  Status too_many_runs(const std::string& owner) const;
  void kill_queued(Entry& entry);
  StartRequest request_for(const Entry& entry) const;
  void give_temporary(const Entry& entry, StartRequest& request) const;
  void read_stream(Entry& entry, StreamId id, UniqueFd fd);
  void open_logs(Entry& entry);
  void notify_logs(Entry& entry, StreamId id);
  void finish_logs(Entry& entry);
  void log_finished(Entry& entry, const LogTap& log);
  bool settled(const Entry& entry) const;
  void finish(Entry& entry, RunState state, std::string reason);
  void finish_exited(Entry& entry);
  // Asks the run's executor first. False: it has none to ask.
  bool ask_at_end(Entry& entry);
  void take_execution_end(Entry& entry, const ExecutionEnd& end);
  void carry_out_cleanup(const Entry& entry);
  // The calls limit the runs that a caller waits for.
  static bool needs_place(const RunSpec& spec) { return spec.background && !spec.internal; }
  void take_place(const Entry& entry);
  void leave_place(const Entry& entry);
  void time_out(Entry& entry);
  void watch_time(Entry& entry);
  void watch_idle(Entry& entry);
  void watch_left_behind(Entry& entry);
  static void note_silent_writers(Entry& entry);
  void count_output(Entry& entry, std::uint64_t bytes);
  // Ends the run by its limit, with the stop signal first.
  void end_by_limit(Entry& entry, LimitReached reached);
  void note_limit(Entry& entry, LimitReached reached);
  void on_drain_limit(Entry& entry);
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
  void open_terminal(Entry& entry, Started& started);
  void show_again(Entry& entry, Offset seen);
  void show(Entry& entry, Offset from);
  void answer(Entry& entry, std::string_view bytes);
  static void follow_size(Entry& entry);

  uv_loop_s* loop_;
  const Clock& clock_;
  RunsOptions options_;
  std::unique_ptr<KeeperClient> keeper_;
  std::vector<std::unique_ptr<Adopted>> adopted_;
  std::size_t open_control_sockets_ = 0;  // without a final answer
  std::vector<std::function<void()>> on_adopted_;
  std::unique_ptr<Ingest> ingest_;
  Nanos turn_end_ = Nanos::max();
  std::unique_ptr<Deadlines> deadlines_;
  std::unique_ptr<DiskThreads> disk_;  // writes logs
  std::vector<std::string> unwritten_logs_;
  std::unique_ptr<PathLookups> paths_;
  std::vector<std::unique_ptr<Entry>> entries_;  // oldest first
  std::unordered_map<RunKey, Entry*> by_key_;
  std::unordered_map<std::string, Entry*> by_id_;
  std::deque<Entry*> queue_;
  std::vector<RunsObserver*> observers_;
  int notifying_ = 0;  // depth
  AskExecutor ask_executor_;
  std::function<Play(const Run&)> plays_;  // null: no run is fake
  RunKey last_key_ = 0;
  const std::string nonce_ = random_id();  // stands for a state directory where there is none
  std::size_t active_ = 0;
  std::unordered_map<std::string, std::size_t> places_;  // taken, by owner
  int open_parts_ = 0;                                   // while closing
  std::function<void()> part_closed_;
  bool closing_ = false;
};

}  // namespace gibbous
