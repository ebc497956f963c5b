// CleanupCommands: holds the cleanup commands of runs and carries them out, several at a time and
// each for a bounded time. Keeper only.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <deque>
#include <functional>
#include <unordered_map>
#include <vector>

#include "runtime/keeper/kill_job.h"
#include "runtime/keeper/wire.h"

namespace gibbous::keeper {

class CleanupCommands {
 public:
  // Starts the process that carries out a cleanup command, outside every tree that is being ended;
  // 0: it could not be started. The message body is valid only during the call.
  using Start = std::function<pid_t(wire::Bytes body)>;
  using OnDone = std::function<void(bool granted)>;
  explicit CleanupCommands(Start start) : start_(std::move(start)) {}

  void keep(RunKey run, wire::Bytes body);
  void forget(RunKey run) { kept_.erase(run); }
  // True while the run's command is kept, waits, or runs.
  bool owes(RunKey run) { return kept_.count(run) != 0 || listeners_of(run) != nullptr; }
  // Carries out the run's command and forgets it. `on_done` may be empty. It is called when a
  // command that is already running ends, and at once when there is none.
  void grant(RunKey run, OnDone on_done, Time now);
  // Carries out all that are left. False: there were none, and none is running.
  bool grant_all(Time now);

  bool running() const { return !running_.empty(); }
  // A process was reaped. False: it was none of these.
  bool ended(pid_t pid, int status, Time now);
  // Kills those whose time is up.
  void tick(Time now);
  Time due() const;  // when tick() is to be called

 private:
  struct Waiting {
    RunKey run;
    wire::Buffer body;
    std::vector<OnDone> on_done;
  };
  struct Running {
    RunKey run;
    Time until;
    std::vector<OnDone> on_done;
  };
  // The callbacks for the end of the run's cleanup command; null: none is waiting or running.
  std::vector<OnDone>* listeners_of(RunKey run);
  static void notify(const std::vector<OnDone>& listeners, bool granted);
  void start_waiting(Time now);

  Start start_;
  std::unordered_map<RunKey, wire::Buffer> kept_;
  std::deque<Waiting> waiting_;
  std::unordered_map<pid_t, Running> running_;
};

}  // namespace gibbous::keeper
