// ProcessTable: the runs that the keeper keeps, and which processes belong to each. A run's tree
// hangs below the keeper in one or more places: the leader, and whatever lost its parent and came
// back to the keeper because it is a subreaper (an orphan). Keeper only.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "runtime/keeper/client.h"
#include "runtime/process/mark.h"
#include "runtime/process/tree.h"

namespace gibbous::keeper {

struct KillJob;
struct DetachedLimits;
struct Detached;

struct KeeperRun {
  RunKey key = 0;
  std::uint32_t mark_run = 0;
  pid_t leader = 0;   // 0 once it was reaped
  pid_t session = 0;  // the leader's pid, for good
  std::string env_tag;
  std::vector<pid_t> orphans;  // as of the last rescan
  std::uint32_t left = 0;      // as last reported
  bool forgotten = false;      // by the library; kept only for its leader
  std::unique_ptr<KillJob> job;
  std::unique_ptr<DetachedLimits> limits;
  std::unique_ptr<Detached> keep;           // null: it ends with its host
  std::chrono::microseconds reaped_cpu{0};  // of its processes that the keeper has reaped
  // Of its standard input, where that is a pipe of ours: what a process that waits for input reads.
  std::uint64_t stdin_device = 0;
  std::uint64_t stdin_inode = 0;

  bool empty() const { return leader == 0 && orphans.empty(); }
};

class ProcessTable {
 public:
  ProcessTable(std::uint32_t keeper_number, ProcessTree tree);
  ~ProcessTable();

  Mark next_mark();
  KeeperRun& add(RunKey key, Mark mark, pid_t leader, std::string env_tag);
  KeeperRun* find(RunKey key);
  KeeperRun* find_leader(pid_t pid);
  void remove(KeeperRun& run);

  // Which run the keeper's child `pid`, no leader, belongs to; null: none that is known. Zombies
  // too.
  KeeperRun* run_of_orphan(pid_t pid);
  void forget_process(pid_t pid);  // it was reaped
  // A child of the keeper that belongs to no run, and ended without descendants, until it was
  // reaped.
  void set_apart(pid_t pid) { apart_.insert(pid); }

  // Looks at the keeper's children and says anew which orphans each run has.
  void rescan();
  // Runs that have orphans, as of the last rescan.
  const std::vector<RunKey>& with_orphans() const { return with_orphans_; }

  // As of the last rescan, parents before their children; zombies included.
  std::vector<pid_t> members(const KeeperRun& run);
  std::vector<pid_t> all_members();  // without those of spared runs
  // To every process in `members` of the run, the leader's group in one go.
  void signal(const KeeperRun& run, const std::vector<pid_t>& members, int signal_number);
  // To the leader's group alone, while there is a leader.
  static void signal_group(const KeeperRun& run, int signal_number);
  // From now on, all_members and signal_all leave runs alone that are kept.
  void spare_detached(bool spare) { spare_detached_ = spare; }
  // To everything below the keeper, but what is spared.
  void signal_all(const std::vector<pid_t>& members, int signal_number);
  static std::vector<pid_t> alive(const std::vector<pid_t>& pids);

  template <typename Visit>
  void for_each(Visit visit) {
    for (auto& [key, run] : runs_) visit(run);
  }

 private:
  KeeperRun* attribute(pid_t pid);
  bool is_own_child(pid_t pid) const;
  bool is_spared(pid_t own_child);
  // To one process; SIGKILL to its whole group as well.
  template <typename StillOurs>
  void send(pid_t pid, int signal_number, StillOurs still_ours);

  std::uint32_t keeper_number_;
  ProcessTree tree_;
  std::uint32_t last_mark_run_ = 0;
  std::unordered_map<RunKey, KeeperRun> runs_;
  std::unordered_map<pid_t, RunKey> by_leader_;
  std::unordered_map<std::uint32_t, RunKey> by_mark_;
  std::unordered_map<pid_t, RunKey> by_session_;
  // Orphans by pid, which is theirs until the keeper reaps them.
  std::unordered_map<pid_t, RunKey> orphans_;
  std::vector<pid_t> own_children_;
  std::unordered_set<pid_t> apart_;
  std::vector<RunKey> with_orphans_;
  bool spare_detached_ = false;
};

}  // namespace gibbous::keeper
