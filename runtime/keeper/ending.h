// Ending: ends everything below the keeper, before the keeper itself ends: SIGTERM, then after a
// grace SIGKILL until it has no children left or that takes too long. Keeper only.
//
// Meanwhile the keeper reads what runs write, and drops it: a process that says goodbye must not
// die of SIGPIPE. Only a terminal hangs up with its host.
#pragma once

#include "runtime/keeper/kill_job.h"
#include "runtime/keeper/process_table.h"

namespace gibbous::keeper {

class Ending {
 public:
  // Sends SIGTERM at once.
  Ending(ProcessTable& table, Millis grace, Time now);

  Time due() const { return due_; }             // when round() is to be called next
  bool is_killing() const { return killing_; }  // SIGKILL was sent
  // One round of SIGKILL. False: it gives up.
  bool round(Time now);

 private:
  ProcessTable& process_table_;
  bool killing_ = false;
  Time due_;
  Time bound_;
  Millis backoff_{0};
};

}  // namespace gibbous::keeper
