// One round looks at every process once; for most, prlimit is enough.
#include "runtime/keeper/orphan_sweep.h"

#include <csignal>

#include "runtime/process/mark.h"
#include "runtime/process/proc.h"
#include "runtime/process/run_group.h"
#include "runtime/process/signals.h"

namespace gibbous {
namespace {

constexpr int kMaxRounds = 60;
constexpr int kEmptyRoundsAtTheEnd =
    2;  // a scan is no snapshot and may miss a process that forks meanwhile
constexpr int kQuickRounds = 8;
constexpr Millis kQuickPause{1};
constexpr Millis kSlowPause{10};

}  // namespace

bool OrphanSweep::round() {
  bool found = false;
  for (const ProcessIdentity& process : known_) {
    const SendOutcome outcome = send_signal_if(process.pid, SIGKILL, [&](pid_t pid) {
      const auto stat = read_stat(pid);
      return stat && stat->alive() && stat->start_time == process.start_time;
    });
    if (outcome != SendOutcome::kSent) continue;
    found = true;
    ended_.insert(process.pid);
  }
  std::vector<pid_t> pids;
  (void)list_numbers("/proc", pids);
  for (const pid_t candidate : pids) {
    const auto has_mark = [this](pid_t pid) {
      const auto marks = read_marks(pid);
      return marks && marks->run_of(keeper_number_).has_value();
    };
    if (!has_mark(candidate)) continue;
    // Zombies keep their marks and groups. A new zombie may be all that a scan sees of processes
    // that fork and exit forever; killing their group ends them.
    kill_group_if(candidate, has_mark);
    const SendOutcome outcome = send_signal_if(candidate, SIGKILL, has_mark);
    if (outcome != SendOutcome::kSent) continue;
    const auto stat = read_stat(candidate);
    if (!stat) continue;
    if (stat->alive()) ended_.insert(candidate);
    found = found || stat->alive() || dead_.insert({candidate, stat->start_time}).second;
  }
  empty_rounds_ = found ? 0 : empty_rounds_ + 1;
  const bool over = empty_rounds_ >= kEmptyRoundsAtTheEnd || ++rounds_ >= kMaxRounds;
  if (over) (void)remove_keeper_groups(find_cgroup_places(), keeper_number_);
  return over;
}

Millis OrphanSweep::pause() const {
  return rounds_ < kQuickRounds ? kQuickPause : kSlowPause;
}

}  // namespace gibbous
