// Run: one execution of a command, from queued to ended. Runs makes, owns and changes it; all other
// code only reads it. Loop thread only.
//
// An end has three moments, in this order: exited (the leader was reaped), ended (what the leader
// had written is taken in, and the state changes; never later than the drain limit), drained (both
// streams have ended, or the drain limit passed because another process holds a pipe).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/clock.h"
#include "runtime/keeper/outcome.h"
#include "runtime/output/arrival_order.h"
#include "runtime/output/stream.h"
#include "runtime/process/terminal.h"
#include "runtime/process/writers.h"
#include "runtime/runs/execution.h"
#include "runtime/runs/limit_set.h"
#include "runtime/runs/output_rate.h"
#include "runtime/runs/output_times.h"
#include "runtime/sandbox/sandbox.h"

namespace gibbous {

class FileSink;
class Screen;

enum class RunState : std::uint8_t {
  kQueued,
  kStarting,
  kRunning,
  kCompleted,  // exit code 0
  kFailed,     // another exit code, a signal from outside, or it could not be started
  kKilled,     // by kill, by a limit, or by the end of its session or of the runtime
  kTimeout,    // by its time limit
  kLost,       // the keeper was lost, so the end is unknown
};
const char* to_string(RunState state);
bool has_ended(RunState state);

// Whether others may count on a run.
enum class Readiness : std::uint8_t {
  kUnasked,  // it has no condition and is ready while it runs
  kPending,
  kReady,
  kFailed,  // its condition did not come true in time, or before it failed
};
const char* to_string(Readiness readiness);

enum class StreamId : std::uint8_t { kStdout, kStderr };
inline constexpr std::size_t kStreams = 2;
inline constexpr std::size_t kMaxLogs = 4;
const char* to_string(StreamId stream);

// A file into which output is copied as it comes.
struct LogSpec {
  std::string path;  // relative to the workspace, or absolute below it or the temporary directory
  std::optional<StreamId> stream;         // none: both, in the order in which they were read
  std::uint64_t max_bytes = 10ULL << 20;  // of one file
  std::uint32_t files = 1;                // more: rotated, path.1 is the previous one
  bool append = false;
};

// The request to start a run. Set one of argv and command.
struct RunSpec {
  std::vector<std::string> argv;
  std::string command;  // a line for the shell
  std::string shell;    // "": that of the runtime
  std::string label;
  // The session of the caller, and the queue inside it: the same, or a name that the caller gave.
  std::string client;
  std::string session;
  std::string workspace;                   // below which logs are; "": the runtime's
  std::string cwd;                         // "" is the workspace; relative paths are below it
  std::map<std::string, std::string> env;  // on top of the runtime's environment
  // The same, with values that no journal, list, log or output may show.
  std::map<std::string, std::string> secret_env;
  // The same, unless one of these names it.
  std::map<std::string, std::string> default_env;
  std::vector<std::string> unset_env;
  // Not inherited either, here or by an executor: secrets that were not named for the run.
  std::vector<std::string> withheld_env;
  // NAME=value, instead of the environment of the runtime. Null: that one.
  std::shared_ptr<const std::vector<std::string>> inherited_env;
  bool stdin_pipe = false;
  // Its own terminal, which is its stdin, stdout and stderr and is read as stdout.
  std::optional<TerminalSpec> terminal;
  // The run outlives its host, which ends its stdin; the next host with the same state directory
  // takes it over.
  bool keep = false;
  bool merge_stderr = false;
  // Recorded with the run (runtime/recording); they change nothing here.
  std::string id;          // 8 characters that no other run has; "": a new one
  bool reserved = false;   // the id is that of a reserved run, which must still be one
  bool background = true;  // its caller did not wait for it
  std::string tool;        // the tool that started it
  std::string watch_json;  // its watchers, as requested
  std::optional<std::uint64_t> max_output_bytes;  // of the recorded output; none: the configured
  std::optional<Millis> timeout;                  // none: the configured default; 0: no limit
  // Whether kUsualTimeout limits it where neither a timeout nor a default is given; none: until it
  // is detached from its call.
  std::optional<bool> usual_timeout;
  int timeout_signal = 0;        // first signal of the time limit; 0: stop_signal()
  bool queue_when_full = false;  // else start() fails with code "too_many_runs"
  std::vector<LogSpec> logs;     // at most kMaxLogs
  LimitSet limits;
  std::optional<SandboxSpec> sandbox;  // none: it has the rights of Gibbous
  std::optional<Execution> execution;  // none: started unchanged
  bool says_when_ready = false;        // a condition decides about readiness
  // The run that this one restarts, and how many there were before it.
  std::string restart_of;
  std::uint32_t restarts = 0;
  // A command of an executor: max_concurrent does not count it, and only its caller is notified of
  // it.
  bool internal = false;
};

// Returns the session that the run counts for: that of the caller, or the name that it gave.
const std::string& owner_of(const RunSpec& spec);
// Returns the variables that are set for the run, secrets and defaults included.
std::map<std::string, std::string> variables_of(const RunSpec& spec);

class Run;

// What runs that depend on it may expect.
enum class Standing : std::uint8_t { kPending, kReady, kNever };
// Returns kReady once its conditions have come true, or, without any, once it runs. A run that did
// not end as completed never is.
Standing standing_of(const Run& run);

// Returns the signal that asks the programs of a run to end: interactive shells ignore SIGTERM, but
// end when their terminal is gone.
int stop_signal(const RunSpec& spec);

class Run {
 public:
  Run();
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  const std::string& id() const { return id_; }
  const RunSpec& spec() const { return spec_; }
  // Returns the command as a person would type it.
  const std::string& command_text() const { return command_text_; }
  RunState state() const { return state_; }
  bool ended() const { return has_ended(state_); }
  pid_t pid() const { return pid_; }  // 0 before it is running
  // The number of its keeper in the marks of its processes; 0 before it is running.
  std::uint32_t keeper_number() const { return keeper_number_; }
  const std::optional<ExitStatus>& exit_status() const { return exit_status_; }
  // Returns true if an earlier host started it.
  bool adopted() const { return adopted_; }
  // Returns true unless a kill, the end of its session or a time limit ended it; ends by other
  // limits count as its own.
  bool ended_by_itself() const { return ended_by_itself_; }
  // Returns the reason of its end, for people: "exit code 1", "killed by SIGSEGV", "timed out after
  // 300.0 s", ...
  const std::string& reason() const { return reason_; }
  const std::optional<KillReport>& kill_report() const { return kill_report_; }
  // Returns the limit that ended it, with its figures, if one did.
  const std::optional<LimitReached>& limit_reached() const { return limit_reached_; }
  // Returns the processes that wrote its stdout when it had been silent for its idle limit.
  const std::vector<OutputWriter>& silent_writers() const { return silent_writers_; }
  // Returns what enforces the limits of its tree, once it runs.
  const LimitsInForce& limits_in_force() const { return in_force_; }
  // Returns what is enforced of its sandbox, once it runs.
  const SandboxReport& sandbox_report() const { return sandbox_report_; }
  // Returns bytes per second, over the last five to ten seconds, both streams together.
  double output_rate(const Clock& clock) const;
  Readiness readiness() const { return readiness_; }
  // Returns why it is ready, or is not.
  const std::string& readiness_note() const { return readiness_note_; }
  // Returns the run that restarts this one; "": none.
  const std::string& next() const { return next_; }
  // Returns the known number of processes of its tree that live on after the leader's exit.
  std::uint32_t left_behind() const { return left_behind_; }
  // Returns the sinks of spec().logs, in that order, once it runs; they live as long as the run.
  const std::vector<const FileSink*>& logs() const { return logs_; }
  // Returns true once both streams have ended, or the drain limit has passed since the exit.
  bool drained() const { return drained_; }
  bool output_incomplete() const { return output_incomplete_; }
  bool stdin_open() const { return stdin_open_; }
  const Stream& stream(StreamId id) const { return streams_[static_cast<std::size_t>(id)]; }
  // Returns how many bytes of the stream came before its first byte here: an adopted run wrote them
  // for an earlier host.
  std::int64_t origin(StreamId id) const { return origins_[static_cast<std::size_t>(id)]; }
  ArrivalOrder::Streams streams() const { return {&streams_[0], &streams_[1]}; }
  // Returns the order in which both streams came. Reading incomplete lines changes it.
  ArrivalOrder& arrivals() { return arrivals_; }
  const ArrivalOrder& arrivals() const { return arrivals_; }
  // Returns the contents of its terminal; null: it has none, or does not run yet.
  Screen* screen() const { return screen_.get(); }
  // Returns the size of that terminal as it is now.
  std::optional<TerminalSize> terminal_size() const;
  Millis created_at() const { return created_wall_; }  // Unix time
  Millis started_at() const { return started_wall_; }  // Unix time, 0 before
  Millis ended_at() const { return ended_wall_; }      // Unix time, 0 before
  Millis runtime(const Clock& clock) const;            // from start to end or now
  Millis time_limit() const;                           // of its runtime; 0: none
  Nanos last_output() const {
    return last_output_;
  }  // Clock::now() of the newest byte, or of the start

  // Returns how long ago the byte before `end` of a stream came.
  Nanos age(StreamId id, Offset end, const Clock& clock) const {
    return clock.now() - output_times_[static_cast<std::size_t>(id)].before(end);
  }

  // Returns a named reader's place in a stream. It lives as long as the run; only that reader
  // changes it.
  Offset& reader(const std::string& name, StreamId id) {
    return readers_[name][static_cast<std::size_t>(id)];
  }
  ArrivalOrder::Offsets& reader(const std::string& name) { return readers_[name]; }

 private:
  friend class Runs;
  std::string id_;
  RunKey key_ = 0;
  RunSpec spec_;
  std::string command_text_;
  RunState state_ = RunState::kQueued;
  pid_t pid_ = 0;
  std::uint32_t keeper_number_ = 0;
  std::optional<ExitStatus> exit_status_;
  bool ended_by_itself_ = false;
  std::string reason_;
  std::optional<KillReport> kill_report_;
  Readiness readiness_ = Readiness::kUnasked;
  std::string readiness_note_;
  std::string next_;
  std::uint32_t left_behind_ = 0;
  std::optional<LimitReached> limit_reached_;
  std::vector<OutputWriter> silent_writers_;
  std::vector<const FileSink*> logs_;
  bool adopted_ = false;
  bool limited_by_call_ = false;  // kUsualTimeout holds until it is detached
  LimitsInForce in_force_;
  SandboxReport sandbox_report_;
  OutputRate output_rate_;
  std::array<OutputTimes, kStreams> output_times_;
  bool drained_ = false;
  bool output_incomplete_ = false;
  bool stdin_open_ = false;
  std::array<Stream, kStreams> streams_;
  std::array<std::int64_t, kStreams> origins_{};
  ArrivalOrder arrivals_;
  std::unique_ptr<Screen> screen_;
  Millis created_wall_{0};
  Millis started_wall_{0};
  Millis ended_wall_{0};
  Nanos started_{0};
  Nanos ended_{0};
  Nanos last_output_{0};
  std::map<std::string, std::array<Offset, kStreams>> readers_;
};

}  // namespace gibbous
