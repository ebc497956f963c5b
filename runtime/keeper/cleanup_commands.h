// CleanupCommands: the cleanup commands of runs, and how they are carried out: several at a time,
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
  // Starts the process that carries a cleanup command out, out of the way of everything that is
  // ended; 0: it could not be started. Its message body is only valid during the call.
  using Start = std::function<pid_t(wire::Bytes body)>;
  using OnDone = std::function<void(bool granted)>;
  explicit CleanupCommands(Start start) : start_(std::move(start)) {}

  void keep(RunKey run, wire::Bytes body);
  void forget(RunKey run) { kept_.erase(run); }
  // Carries it out, and forgets it. `on_done` may be empty; it comes at the end of one that is
  // being carried out already, and at once when there is none.
  void grant(RunKey run, OnDone on_done, Time now);
  // All that are left. False: there were none, and none is being carried out.
  bool grant_all(Time now);

  bool running() const { return !running_.empty(); }
  // A process was reaped. False: it was none of these.
  bool ended(pid_t pid, int status, Time now);
  // Ends those whose time is over.
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
  // Receives the end of the run's cleanup command; null: none is running.
  std::vector<OnDone>* listeners_of(RunKey run);
  static void notify(const std::vector<OnDone>& listeners, bool granted);
  void start_waiting(Time now);

  Start start_;
  std::unordered_map<RunKey, wire::Buffer> kept_;
  std::deque<Waiting> waiting_;
  std::unordered_map<pid_t, Running> running_;
};

}  // namespace gibbous::keeper
