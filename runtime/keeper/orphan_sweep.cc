// One round looks at every process once; for most, prlimit is enough.
#include "runtime/keeper/orphan_sweep.h"

#include <csignal>

#include "runtime/process/mark.h"
#include "runtime/process/proc.h"
#include "runtime/process/run_group.h"
#include "runtime/process/signals.h"
#include "runtime/process/tree.h"

namespace gibbous {
namespace {

constexpr int kMaxRounds = 60;
constexpr int kEmptyRoundsAtTheEnd =
    2;  // a scan is no snapshot and may miss a process that forks meanwhile
constexpr int kQuickRounds = 8;
constexpr Millis kQuickPause{1};
constexpr Millis kSlowPause{10};

}  // namespace

// While the leaders live, what is below them can be seen; once they are gone, it cannot.
void OrphanSweep::begin() {
  ProcessTree tree(ProcessTree::Source::kScan);
  (void)tree.own_children();
  for (const ProcessIdentity& leader : known_) {
    const auto stat = read_stat(leader.pid);
    if (!stat || stat->start_time != leader.start_time) continue;
    for (const pid_t pid : tree.with_descendants({leader.pid})) {
      const auto member = read_stat(pid);
      if (member) below_.push_back({pid, member->start_time});
    }
  }
  kill_run_groups(find_cgroup_places(), keeper_number_, [](pid_t) { return false; });
}

// A session's number is given to no other while it has processes: where another process has the
// leader's pid, nothing is left of its session.
bool OrphanSweep::is_in_session(pid_t pid) const {
  const auto stat = read_stat(pid);
  if (!stat || !stat->alive()) return false;
  for (const ProcessIdentity& leader : known_) {
    if (stat->session != leader.pid) continue;
    const auto now = read_stat(leader.pid);
    return !now || now->start_time == leader.start_time;
  }
  return false;
}

bool OrphanSweep::is_ours(pid_t pid) const {
  const auto marks = read_marks(pid);
  if (marks && marks->run_of(keeper_number_).has_value()) return true;
  return rounds_ < kQuickRounds && !known_.empty() && is_in_session(pid);
}

bool OrphanSweep::end_known(const std::vector<ProcessIdentity>& processes) {
  bool found = false;
  for (const ProcessIdentity& process : processes) {
    const SendOutcome outcome = send_signal_if(process.pid, SIGKILL, [&](pid_t pid) {
      const auto stat = read_stat(pid);
      return stat && stat->alive() && stat->start_time == process.start_time;
    });
    if (outcome == SendOutcome::kRefused) refused_.insert(process.pid);
    if (outcome != SendOutcome::kSent) continue;
    found = true;
    ended_.insert(process.pid);
  }
  return found;
}

bool OrphanSweep::round() {
  if (rounds_ == 0) begin();
  bool found = end_known(below_);
  found = end_known(known_) || found;
  std::vector<pid_t> pids;
  (void)list_numbers("/proc", pids);
  const auto ours = [this](pid_t pid) { return is_ours(pid); };
  for (const pid_t candidate : pids) {
    if (!is_ours(candidate)) continue;
    // Zombies keep their marks and groups. A new zombie may be all that a scan sees of processes
    // that fork and exit forever; killing their group ends them.
    kill_group_if(candidate, ours);
    const SendOutcome outcome = send_signal_if(candidate, SIGKILL, ours);
    if (outcome == SendOutcome::kRefused) refused_.insert(candidate);
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
