// Runs: the table of runs. Starts them through the keeper, takes in their output, ends them by
// kill, time limit or shutdown, and tells its observers. Loop thread only; ids come from the
// kernel's randomness.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gibbous/status.h"
#include "runtime/base/clock.h"
#include "runtime/runs/run.h"

struct uv_loop_s;

namespace gibbous {

// The defaults are those of the documents that the toolsets come from.
struct RunLimits {
  std::size_t max_concurrent = 5;                    // runs that are starting or running
  Millis default_timeout{300'000};                   // 0: none
  std::size_t max_buffer_bytes = kDefaultRingBytes;  // a stream
  std::size_t head_bytes = kDefaultHeadBytes;        // a stream, kept for good
  Millis kill_grace{5'000};                          // stop signal to SIGKILL
  Millis timeout_grace{3'000};                       // the same after a time limit, and at shutdown
  Millis drain_limit{500};  // exit to "drained" while somebody holds a pipe open
  std::size_t max_queued = 100;
  LimitSet run;                 // what no run may exceed, whatever it asks for
  std::size_t max_ended = 100;  // ended runs that are remembered; the oldest are forgotten first
};

// What a run costs now.
struct RunUsage {
  TreeUsage tree;
  // Of one processor, since it was asked last, or since the start.
  double cpu_percent = 0;
};

struct RunsOptions {
  RunLimits limits;
  std::string shell = "/bin/sh";  // gets "-c" and the command line
  std::string workspace;          // absolute
  std::string temp_directory;     // absolute; logs may lie below it, and it is made for them
  std::vector<std::string> env;   // "NAME=value": what runs inherit
  std::string keeper_path;
  // Where keepers of kept runs are found; "": runs cannot be kept. Made when it is needed first.
  std::string keep_directory;
};

// All callbacks come from the loop, never from inside a call to Runs.
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
  // The run is about to be forgotten; references to it are invalid afterwards.
  virtual void on_forget(Run& run) { (void)run; }
  virtual void on_keeper_lost(const std::string& reason) { (void)reason; }
  // Every observer has been told of what happened, and of what came of that.
  virtual void on_batch_end() {}
  // It is told of internal runs, too.
  virtual bool hears_internal() const { return false; }
};

class Runs {
 public:
  static Result<std::unique_ptr<Runs>> create(uv_loop_s* loop, const Clock& clock,
                                              RunsOptions options);
  virtual ~Runs() = default;

  // Queues or starts; on_ready comes from the loop once it runs or could not be started
  // (code "start_failed", message with the step and errno). Fails at once with too_many_runs,
  // invalid_arguments, shutdown.
  virtual Result<Run*> start(RunSpec spec, std::function<void(Run&, Status)> on_ready) = 0;
  // A run that is started later: it is listed as queued, with the reason, until start() is called
  // with its id, or refuse(), or kill(). Of `spec` that is taken by which it is known meanwhile.
  // Fails at once with too_many_runs, invalid_arguments, shutdown.
  virtual Result<Run*> reserve(RunSpec spec, std::string reason) = 0;
  // A reserved run will not be started: it ends as failed. Of others, nothing.
  virtual void refuse(Run& run, std::string reason) = 0;
  virtual void set_readiness(Run& run, Readiness readiness, std::string note) = 0;
  // Stop signal, grace (the configured one when none), SIGKILL. on_done comes from the loop with
  // the report; a run that has ended with nothing left behind is answered {kGone}. Of a run that
  // was started again the one is meant that is there now.
  virtual void kill(Run& run, int signal_number, std::optional<Millis> grace,
                    std::function<void(Run&, const KillReport&)> on_done) = 0;
  virtual void signal(Run& run, int signal_number) = 0;
  // Queues bytes for stdin; on_done comes when the child's pipe has taken them all, or with why not
  // (code "stdin_closed").
  virtual void write(Run& run, std::string bytes, std::function<void(Status)> on_done) = 0;
  // Closes stdin after what is queued. A terminal stays open.
  virtual void close_stdin(Run& run) = 0;

  // Changes the size of its terminal; programs in its foreground get SIGWINCH. Fails with
  // no_terminal, not_running, invalid_arguments.
  virtual Status resize(Run& run, TerminalSize size) = 0;
  // Who shows what is typed into its terminal now; kTerminal without one.
  virtual Echo echo(const Run& run) const = 0;

  // Looks at the run's processes now; on_usage comes from the loop, with nothing when there are
  // none.
  virtual void usage(Run& run,
                     std::function<void(Run&, const std::optional<RunUsage>&)> on_usage) = 0;

  // While it is held its output stays in its pipes, so that it waits when they are full. Its exit
  // is told of all the same, at the drain limit at the latest.
  virtual void hold(Run& run, bool held) = 0;

  // Takes over what earlier hosts kept; each run that is found is told by on_state, before on_done,
  // which comes from the loop.
  virtual void adopt_detached(std::function<void()> on_done) = 0;

  // From the loop's next turn, unless the table is closed before.
  virtual void later(std::function<void()> work) = 0;

  virtual Run* find(std::string_view id) = 0;  // null: no such run
  // The last of those that were started again for it; itself when none was.
  virtual Run& newest(Run& run) = 0;
  // The id of a run that is nearly `id`, or "".
  virtual std::string nearest(std::string_view id) const = 0;
  virtual std::vector<Run*> list() = 0;  // oldest first, without internal ones
  virtual std::size_t active() const = 0;
  virtual const RunsOptions& options() const = 0;
  virtual void set_limits(RunLimits limits) = 0;  // for runs from now on

  // The ports of a run that is executed elsewhere, when they are known only after its start.
  virtual void set_ports(Run& run, std::vector<PortMapping> ports) = 0;
  // Who is asked about the end of runs that are executed elsewhere.
  virtual void set_ask_executor(AskExecutor ask) = 0;

  virtual void add_observer(RunsObserver* observer) = 0;
  virtual void remove_observer(RunsObserver* observer) = 0;

  virtual void set_quota(std::size_t bytes) = 0;  // Ingest::set_quota
  virtual bool has_more() const = 0;
  virtual pid_t keeper_pid() const = 0;

  // Hands every tree to the keeper, which ends it (stop signal, timeout_grace, SIGKILL) and exits;
  // no observer hears of it. on_closed comes from the loop when all handles are closed; the object
  // may be deleted then.
  virtual void close(std::function<void()> on_closed) = 0;
  // The same for a process that exits now: no loop turn is needed.
  virtual void hand_over() = 0;
};

}  // namespace gibbous
