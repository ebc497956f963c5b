// Server: the keeper itself. One thread runs one epoll loop over the library's socket, a signalfd
// and a pidfd of the host. keeper_main.cc makes and runs it.
//
// It reports an exit when it reaps the leader, before it looks at anything else; a kill when the
// tree is empty, at the latest 2 s after the first SIGKILL; and ends a tree that reaches one of its
// limits, also when its control group has killed processes. "Empty" is no guess: the keeper is a
// subreaper, so a process that loses its parent is its child until that ends. The host gets no
// SIGCHLD and has no child to wait for.
#pragma once

#include <sys/resource.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "gibbous/status.h"
#include "runtime/keeper/channel.h"
#include "runtime/keeper/cleanup_commands.h"
#include "runtime/keeper/delayed_starts.h"
#include "runtime/keeper/detached.h"
#include "runtime/keeper/end_notes.h"
#include "runtime/keeper/ending.h"
#include "runtime/keeper/host_watch.h"
#include "runtime/keeper/kill_job.h"
#include "runtime/keeper/lifecycle.h"
#include "runtime/keeper/limiter.h"
#include "runtime/keeper/own_scope.h"
#include "runtime/keeper/process_table.h"
#include "runtime/keeper/proofs.h"
#include "runtime/keeper/starter.h"
#include "runtime/keeper/warden.h"

namespace gibbous::keeper {

// From the end of the host, or of its connection, to SIGKILL for everything.
inline constexpr Millis kHostDeathGrace{300};

class Server {
 public:
  // `original_files`: the limit on open files before the keeper raised its own.
  // `page`: of its warden, or null.
  ~Server();
  static Result<std::unique_ptr<Server>> create(UniqueFd socket, rlimit original_files,
                                                WardenPage* page);
  // Returns when the library is gone and everything that was started has ended or cannot be ended.
  void run();
  // After run(): removes what it made in the file system.
  void tidy();

 private:
  Server(UniqueFd socket, rlimit original_files, WardenPage* page);
  Status open();

  // One turn of the loop.
  bool may_make_ready() const;
  int wait_ms(Time now) const;
  void take_signals();
  void take_messages();
  void reap();
  void check_runs(Time now);
  void begin_kills(Time now);
  void tick(Time now);
  void look_at_all_copies(Time now);
  void update_interest();

  // Messages. False: the message is invalid.
  bool handle(Channel::Received& received);
  bool handle_hello(const wire::Header& header, wire::Bytes body);
  bool handle_start(RunKey key, Channel::Received& received);
  bool fail_start(RunKey key, const StartFailure& failure);
  // Reports the run as started, or says why it is not.
  std::optional<StartFailure> start(RunKey key, wire::Bytes body, const UniqueFd& strings);
  void retry_starts(Time now);
  // Starts it as soon as what it touches has answered. False: it touches nothing that may not.
  bool prove_first(RunKey key, wire::Bytes body, UniqueFd& strings);
  // `status`: of the child that tried it out.
  void start_proven(DelayedStart start, int status);
  // A run that is killed or forgotten is not started any more.
  void drop_delayed_start(RunKey key);
  void ask_for_scope();
  bool handle_cleanup(RunKey key, wire::Bytes body);
  bool handle_cleanup_done(RunKey key, wire::Bytes body);
  bool handle_signal(RunKey key, wire::Bytes body);
  bool handle_kill(RunKey key, wire::Bytes body);
  bool handle_forget(RunKey key, wire::Bytes body);
  bool handle_usage(RunKey key, wire::Bytes body);
  // Answers the questions of this turn from one survey.
  void answer_usage_questions();
  bool handle_recorded(RunKey key, wire::Bytes body);
  bool handle_shutdown(wire::Bytes body);

  void leader_ended(KeeperRun& run, int status, const rusage& usage);
  void remove_if_done(KeeperRun& run);
  void remove(KeeperRun& run);
  // Reports the limit and ends the run.
  void limit_reached(KeeperRun& run, LimitReached reached);
  void report_left(KeeperRun& run, std::uint32_t alive);
  void report_killed(KeeperRun& run, const KillReport& report, std::uint32_t reports);
  // Reports after carrying out the run's cleanup command, if it has one.
  void grant_and_report(RunKey run, const KillReport& report, std::uint32_t reports);
  void send_killed(RunKey run, const KillReport& report, std::uint32_t reports);
  pid_t start_cleanup(wire::Bytes body);
  void send(FdList fds = {});  // sends out_
  void note_sending(Channel::Outcome outcome);

  // The events of the lifecycle, and what the server does in the new phase.
  void lose_host(Millis grace = kHostDeathGrace);
  // What the warden has to know.
  void tell_warden(Time until);
  // Lets go of the names that ended runs have held, once no process can be left in their sandboxes.
  void let_go_of_names();
  void tell_warden_of_detached();
  void stop();
  void end_processes(Event why, Millis grace);
  void end_networks();
  // Moves to the next phase when no process to be ended is left, or with `given_up`.
  void finish_ending(bool given_up = false);
  // Every run has ended: carries out the last cleanup commands.
  void end_with_cleanups();

  // Detached runs (server_detached.cc).
  bool has_detached() const;
  // A host is connected and receives reports.
  bool has_host() const { return connected_ && lifecycle_.serves(); }
  Status open_control_socket(const std::string& directory);
  void stay_alone();
  void watch_control_socket(bool watched);
  // Adds what the host reads to the descriptors that it gets with `started`.
  static void connect(Detached& detached, std::array<RelayPipe, 2> pipes,
                      wire::StartedMessage& started, FdList& fds);
  static void disconnect(Detached& detached);
  void settle(KeeperRun& run);
  void note_unsettled(RunKey key);
  void watch_outputs();
  void discard_output(int fd);
  void note_detached_ends();
  void accept_control();
  void hand_over();

  // Ends of runs (server_ends.cc).
  void identify(pid_t host);
  void note_undisturbed();
  EndCause cause_of_end(const KeeperRun& run) const;
  void note_end(const KeeperRun& run, const ExitStatus& exit);

  struct KillRequest {
    RunKey run = 0;
    wire::Kill kill;
    bool own = false;  // the keeper's own: no host waits for a report
  };

  Channel channel_;
  rlimit original_files_;
  UniqueFd epoll_;
  UniqueFd signals_;
  UniqueFd host_;  // pidfd
  Relays relays_;
  std::unique_ptr<Starter> starter_;  // both exist from Hello on
  std::unique_ptr<ProcessTable> process_table_;
  std::unique_ptr<Killer> killer_;
  std::unique_ptr<Limiter> limiter_;
  std::unique_ptr<CleanupCommands> cleanups_;
  WardenPage* page_;
  struct HeldName {
    RunKey run;
    Placeholder name;
  };
  std::vector<HeldName> names_;  // that ended runs have held
  std::shared_ptr<paths::MountTypes> mounts_ = std::make_shared<paths::MountTypes>();
  HostWatch host_watch_{mounts_};
  DelayedStarts delayed_starts_;
  Proofs proofs_;
  OwnScope own_scope_;
  wire::Buffer out_;

  std::vector<KillRequest> kill_requests_;                         // of this turn
  std::vector<std::pair<RunKey, std::uint32_t>> usage_questions_;  // of this turn, with numbers
  std::vector<RunKey> changed_;  // runs whose tree may have become smaller
  std::vector<RunKey> killed_;   // runs with a job, and some whose job is done
  std::deque<RunKey>
      unsettled_;  // ended detached runs whose host has not recorded them, or just has
  Time next_check_;
  Time next_due_ = Time::max();    // of all jobs
  Time copies_due_ = Time::max();  // the next look at the copies of runs
  Time retry_send_ = Time::max();
  std::uint32_t interest_ = 0;
  bool connected_ = true;
  bool host_gone_ = false;  // handled at the end of the turn
  Lifecycle lifecycle_;
  std::unique_ptr<Ending> ending_;  // while it ends processes
  EndNotes end_notes_;
  ProcessIdentity host_identity_;  // of the host that started this keeper
  ProcessIdentity keeper_identity_;

  std::uint32_t keeper_number_ = 0;
  std::unique_ptr<ControlSocket> control_;  // from the first detached run on
  Time hello_until_ = Time::max();          // in kVisited
  Time alone_until_ = Time::max();          // in kAlone
};

// Returns the time, in Unix milliseconds.
std::int64_t wall_millis();

// Makes the kernel continue a stopped keeper with each message on this socket and when the other
// end closes; it would otherwise miss the library's messages and the end of the host.
void stay_reachable(int fd);

}  // namespace gibbous::keeper
