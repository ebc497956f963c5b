// Supervisor: reports when runs are ready, starts runs that come after others, and restarts failed
// ones. A restarted run is a new run with its own id; Run::next() leads to it. Loop thread only.
//
// One run is one execution: its output and the reason of its end do not change, and cursors into it
// stay valid. A kill of an older run means the current one. A run that waits, for others or for its
// next attempt, is reserved in the table of runs: it has its id, is listed as queued, and can be
// killed. The newest policy judges each start again.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "gibbous/status.h"
#include "runtime/runs/runs.h"
#include "runtime/wait/wait.h"

namespace gibbous {

inline constexpr std::uint32_t kDefaultRestarts = 3;
inline constexpr std::uint32_t kMostRestarts = 1000;
inline constexpr Millis kDefaultBackoff{500};  // before the first restart; it doubles each time
inline constexpr Millis kLongestBackoff{60'000};
inline constexpr Millis kDefaultReadyTimeout{60'000};
inline constexpr std::size_t kMostBefore = 32;

struct RestartPolicy {
  bool on_failure = true;  // false: also after exit code 0
  std::uint32_t max = kDefaultRestarts;
  Millis backoff = kDefaultBackoff;
};

// In Supervision::ready, this means the run itself.
inline constexpr char kThisRun[] = "this run";

struct Supervision {
  std::optional<RestartPolicy> restart;
  std::optional<WaitSpec> ready;   // without a timeout: kDefaultReadyTimeout
  std::vector<std::string> after;  // ids of runs that have to be ready before
  std::string request;             // what `start` is given
};

class Supervisor final : private RunsObserver {
 public:
  // Starts the reserved run. on_done comes later, from the loop, and says whether it runs.
  using Start = std::function<void(Run& reserved, const std::string& request,
                                   std::function<void(const Status&)> on_done)>;

  // Must come before every other observer that reports ends, because they read Run::next().
  Supervisor(Runs& runs, Waits& waits, Start start);
  ~Supervisor() override;
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  // Supervises a run that has just been started.
  void supervise(Run& run, std::shared_ptr<const Supervision> how);
  // Reserves a run, and starts it once all of how->after are ready; it fails if one of them never
  // can be. Fails at once as Runs::reserve does, and with run_not_found.
  Result<Run*> start_after(RunSpec spec, std::shared_ptr<const Supervision> how);

 private:
  struct Supervised;

  void on_state(Run& run) override;
  void on_readiness(Run& run) override;
  void on_forget(Run& run) override;

  // Does nothing if either is gone.
  void with(const std::string& run, const std::function<void(Run&, Supervised&)>& work);
  void look_soon();
  void look();
  void start_if_ready(Run& run, Supervised& supervised);
  void start(Run& run, Supervised& supervised);
  void on_started(const std::string& run, const Status& status);
  void refuse(Run& run, Supervised& supervised, const std::string& why);
  void watch_readiness(Run& run, Supervised& supervised);
  void end_readiness(Run& run, const WaitSpec& spec, const WaitResult& result);
  void restart(Run& run, const Supervised& supervised);
  void end_pause(const std::string& id);

  Runs& runs_;
  Waits& waits_;
  Start start_;
  std::unordered_map<std::string, Supervised> supervised_;
  std::set<std::string> blocked_;  // runs that wait for others
  bool looking_ = false;
  std::shared_ptr<const int> lifetime_ = std::make_shared<const int>(0);
};

}  // namespace gibbous
