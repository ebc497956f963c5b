// KillJob and Killer: end a run's tree. All of it gets the stop signal, and SIGCONT so that stopped
// processes can act on it; after the grace, what is left gets SIGKILL, again and again until
// nothing is left or the bound is reached. Each kill() of the library gets one report. Keeper only.
//
// SIGKILL goes to the process groups of the tree as well as to each process: one that forks and
// exits faster than it can be listed ends with its group, in one system call.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <unordered_set>
#include <vector>

#include "runtime/keeper/process_table.h"

namespace gibbous::keeper {

using Time = std::chrono::steady_clock::time_point;

struct KillJob {
  int signal_number = 0;
  bool killing = false;    // SIGKILL is being sent
  bool escalated = false;  // because the grace was over
  Time due;                // end of the grace, or the next round of SIGKILL
  Time bound;              // while killing: when it gives up
  std::chrono::milliseconds backoff{0};
  std::unordered_set<pid_t> seen;  // every process of the tree since the job began
  std::uint32_t reports = 1;       // that the library waits for
};

class Killer {
 public:
  using Report = std::function<void(KeeperRun&, const KillReport&, std::uint32_t reports)>;
  Killer(ProcessTable& table, Report report) : process_table_(table), report_(std::move(report)) {}

  // The caller rescans the process table just before each of these. `reported`: a caller waits for
  // the report.
  void begin(KeeperRun& run, int signal_number, Millis grace, Time now, bool reported);
  void tick(KeeperRun& run, Time now);
  // The run's tree may have become empty.
  void check(KeeperRun& run);

 private:
  void send(KeeperRun& run, int signal_number);
  void start_killing(KeeperRun& run, Time now);
  void kill_round(KeeperRun& run, Time now);
  void finish(KeeperRun& run, KillReport::How how, std::vector<pid_t> survivors);

  ProcessTable& process_table_;
  Report report_;
};

}  // namespace gibbous::keeper
