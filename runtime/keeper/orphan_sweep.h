// OrphanSweep: kills what a lost keeper left behind. Sends SIGKILL in rounds, a few milliseconds
// apart, until nothing is left or the rounds are used up. KeeperClient waits between the rounds.
// Loop thread only.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "runtime/base/clock.h"
#include "runtime/process/proc.h"

namespace gibbous {

class OrphanSweep {
 public:
  // `known`: the leaders that were running. All other processes are identified by the keeper's
  // number in their marks, by the control groups of its runs, by the sessions that the leaders
  // began, and by what is below the leaders when the first round begins.
  OrphanSweep(std::uint32_t keeper_number, std::vector<ProcessIdentity> known)
      : keeper_number_(keeper_number), known_(std::move(known)) {}

  // One round. True when it is over: nothing was found twice in a row, or there were too many
  // rounds.
  bool round();
  Millis pause() const;
  // The processes that it has found alive and ended.
  const std::set<pid_t>& ended() const { return ended_; }
  // Those that it may not end, because they have another user's rights.
  const std::set<pid_t>& refused() const { return refused_; }

 private:
  bool is_ours(pid_t pid) const;
  bool is_in_session(pid_t pid) const;
  bool end_known(const std::vector<ProcessIdentity>& processes);
  void begin();

  std::uint32_t keeper_number_;
  std::vector<ProcessIdentity> known_;
  std::vector<ProcessIdentity> below_;              // the leaders, as the first round found them
  std::set<std::pair<pid_t, std::uint64_t>> dead_;  // zombies seen so far, with their start times
  std::set<pid_t> ended_;
  std::set<pid_t> refused_;
  int rounds_ = 0;
  int empty_rounds_ = 0;
};

}  // namespace gibbous
