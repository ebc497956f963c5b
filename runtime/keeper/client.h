// KeeperClient: the library's side of the keeper. Runs (runtime/runs) owns one and is its listener.
// Loop thread only. The first start() starts the keeper, so a runtime that runs nothing costs no
// process.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gibbous/status.h"
#include "runtime/base/clock.h"
#include "runtime/base/unique_fd.h"
#include "runtime/keeper/outcome.h"
#include "runtime/process/start_step.h"
#include "runtime/process/terminal.h"
#include "runtime/process/tree_limits.h"
#include "runtime/process/usage.h"
#include "runtime/sandbox/sandbox.h"

struct uv_loop_s;

namespace gibbous {

enum class StdioKind : std::uint8_t {
  kNull,    // /dev/null
  kPipe,    // a new pipe; the library's end comes with on_started
  kStdout,  // stderr only: the same pipe as stdout
};

struct ResourceLimit {
  int resource = 0;  // RLIMIT_*
  rlim_t soft = RLIM_INFINITY;
  rlim_t hard = RLIM_INFINITY;
};

// Ends what a run started elsewhere (a container, a process on another machine). The keeper
// executes it after a kill, a limit or the end of the host has ended the run's tree, and not when
// the run ended by itself. It has kCleanupLimit and no stdio.
struct CleanupCommand {
  std::vector<std::string> argv;
  std::vector<std::string> env;  // as StartRequest::env
  std::string cwd;               // absolute
};
inline constexpr std::chrono::seconds kCleanupLimit{10};
inline constexpr std::size_t kMaxCleanupBytes = std::size_t{60} << 10;  // argv, env and cwd

// The place of a run's EndRecord.
struct EndPlace {
  std::string directory;  // absolute, the user's alone
  std::string run_id;     // of which can_have_end_record() is true
};

struct StartRequest {
  std::vector<std::string> argv;  // argv[0] is searched in env's PATH unless it has a '/'
  std::vector<std::string> env;   // "NAME=value", the whole environment
  std::string cwd;                // absolute
  StdioKind in = StdioKind::kNull;
  StdioKind out = StdioKind::kPipe;
  StdioKind err = StdioKind::kPipe;
  // The child gets a terminal of this size as stdin, stdout and stderr; `in`, `out` and `err` are
  // ignored.
  std::optional<TerminalSize> terminal;
  std::vector<ResourceLimit> limits;  // of each process
  TreeLimits tree_limits;             // of all of them together
  std::optional<SandboxSpec> sandbox;
  std::optional<CleanupCommand> cleanup;
  // The run outlives its host, and the next host takes it over.
  bool keep = false;
  std::string keep_directory;  // where the next host finds the keeper; absolute, the user's alone
  std::string notes;           // passed to the next host unchanged; at most kMaxNotesBytes
  // Where the keeper records how the run ended if its host may not have recorded that
  // (end_record.h); none: nowhere.
  std::optional<EndPlace> end_place;
};
inline constexpr std::size_t kMaxNotesBytes = 3072;

struct Started {
  pid_t pid = 0;
  std::uint64_t start_time = 0;  // field 22 of /proc/PID/stat: with the pid, an identity
  UniqueFd pidfd;
  // The library's ends, non-blocking; unset where the request had no pipe. A terminal is `out`
  // alone, for both directions; that of a detached run is written to only, and `err` is a pipe with
  // its output.
  UniqueFd in, out, err;
  LimitsInForce in_force;
  SandboxReport sandbox;  // for a request with one
};

// What earlier hosts of a detached run may not have recorded of one stream: as far as its keeper
// still has it, the newest bytes. Offsets count the bytes of the stream since the run began.
struct EarlierOutput {
  std::string bytes;
  std::uint64_t end = 0;   // of `bytes`
  std::uint64_t sent = 0;  // what comes before was on its way to an earlier host
};

// A detached run as the next host receives it. Reports of its exit and other events follow as
// usual.
struct DetachedRun {
  // Without `in`: a stdin pipe ended with the first host.
  Started started;
  std::string notes;  // of its first host
  EarlierOutput out, err;
};

const char* to_string(StartStep step);

struct StartFailure {
  StartStep step = StartStep::kRequest;
  int error = 0;
  std::string detail;  // details that the step does not show; at most 1 KiB
};

class KeeperClient;

class KeeperListener {
 public:
  virtual ~KeeperListener() = default;
  virtual void on_started(RunKey run, Started started) = 0;
  virtual void on_start_failed(RunKey run, StartFailure failure) = 0;
  // The leader has exited and was reaped. Comes at once, even while another process holds the
  // pipes.
  virtual void on_exited(RunKey run, ExitStatus status) = 0;
  // After the leader's exit: how many processes of the run's tree are alive. Comes only when some
  // are, and once more with 0 when the last of them is gone.
  virtual void on_left(RunKey run, std::uint32_t alive) = 0;
  virtual void on_killed(RunKey run, KillReport report) = 0;
  // The tree has reached one of its limits, and the keeper is ending it. Comes once, before
  // on_exited if this ends the leader.
  virtual void on_limit(RunKey run, LimitReached reached) = 0;
  // After adopt(): called for each detached run, then on_adopted.
  virtual void on_detached(KeeperClient& client, RunKey run, DetachedRun kept) = 0;
  // The keeper is ours, or it has another host or is gone (keeper_gone), or it was lost while it
  // handed over (keeper_lost, after on_keeper_lost): then runs that it has told refer to the
  // client.
  virtual void on_adopted(KeeperClient& client, const Status& status) = 0;
  // The keeper is gone. All that it started has received SIGKILL, by pidfd and mark, before this
  // call; nothing more is reported of those runs.
  virtual void on_keeper_lost(std::vector<RunKey> runs, std::string reason) = 0;
  // Asked between two messages: false leaves the others to the loop's next turn.
  virtual bool has_time() { return true; }
};

struct KeeperOptions {
  std::string path;  // the gibbous-keeper program; "": see find_keeper()
  // The soft limit of open files of what it starts; 0: that of this process.
  std::uint64_t open_files = 0;
};

class KeeperClient {
 public:
  static Result<std::unique_ptr<KeeperClient>> create(uv_loop_s* loop, KeeperOptions options,
                                                      KeeperListener& listener);
  // Takes over the keeper behind a control socket (control_socket.h); on_adopted follows from the
  // loop. Starts nothing.
  static std::unique_ptr<KeeperClient> adopt(uv_loop_s* loop, const std::string& control_socket,
                                             KeeperListener& listener);
  virtual ~KeeperClient() = default;

  // Exactly one of on_started / on_start_failed / on_keeper_lost follows, from the loop. An error
  // here means that the keeper itself could not be started; nothing follows then.
  virtual Status start(RunKey run, const StartRequest& request) = 0;
  // One signal to every process of the run's tree; no escalation.
  virtual void signal(RunKey run, int signal_number) = 0;
  // Stop signal to the whole tree, `grace`, then SIGKILL until nothing is left; on_killed follows
  // in bounded time. A second kill() with SIGKILL or a shorter grace tightens the first; each gets
  // a report.
  virtual void kill(RunKey run, int signal_number, Millis grace) = 0;
  // Reads what the run's tree costs now. The loop calls on_usage once, with nothing when the run or
  // its keeper is gone.
  virtual void usage(RunKey run, std::function<void(const std::optional<TreeUsage>&)> on_usage) = 0;
  // A run with a cleanup command has ended by itself: the keeper carries the command out now
  // (`grant`) or forgets it.
  virtual void cleanup_done(RunKey run, bool grant) = 0;
  // A detached run is recorded on disk up to these offsets of its streams, counted since it began;
  // with `end`, its end is as well. Until then the next host receives it all again.
  virtual void recorded(RunKey run, std::uint64_t out, std::uint64_t err, bool end) = 0;
  // The library has forgotten the run (its tree is empty or given up).
  virtual void forget(RunKey run) = 0;
  // The library is done: the keeper sends everything left the stop signal and, after `grace`,
  // SIGKILL, and then exits. It reports nothing more.
  virtual void shutdown(Millis grace) = 0;
  virtual pid_t keeper_pid() const = 0;             // 0 while there is none
  virtual std::uint32_t keeper_number() const = 0;  // in the marks of its runs; 0 likewise

  // Closes the handles; on_closed comes from the loop. The object may be deleted after it.
  virtual void close(std::function<void()> on_closed) = 0;
};

}  // namespace gibbous
