// ProcessTable: the keeper's runs, and which processes belong to each. A run's tree hangs below the
// keeper in one or more places: the leader, and orphans, which come to the keeper because it is a
// subreaper. Keeper only.
//
// What an orphan was seen below says to which run it belongs; else its control group, its session,
// its mark (runtime/process/mark.h), and last GIBBOUS_RUN in its environment, which counts as much
// as a mark where other programs have set both limits. What it may have made up never spares it as
// part of a detached run.
#pragma once

#include <sys/types.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "runtime/base/unique_fd.h"
#include "runtime/keeper/client.h"
#include "runtime/process/mark.h"
#include "runtime/process/tree.h"

namespace gibbous::network {
class Connects;
}

namespace gibbous::keeper {

struct KillJob;
struct DetachedLimits;
struct Detached;

struct KeeperRun {
  RunKey key = 0;
  std::uint32_t mark_run = 0;
  pid_t leader = 0;   // 0 once it was reaped
  pid_t session = 0;  // the leader's pid, also after its end
  std::string env_tag;
  std::uint32_t group = 0;     // the number of its RunGroup; 0: it has none
  std::vector<pid_t> orphans;  // as of the last rescan
  std::uint32_t left = 0;      // as last reported
  bool forgotten = false;      // by the library; in the table only until its leader is reaped
  std::unique_ptr<KillJob> job;
  std::unique_ptr<DetachedLimits> limits;
  std::unique_ptr<Detached> keep;  // null: the run ends with its host
  // The reading ends of its pipes. Without them a process that writes while it ends, after its
  // host, would die of SIGPIPE instead.
  std::array<UniqueFd, 2> outputs;
  std::uint64_t dropped_bytes = 0;  // that the keeper has read from them
  bool terminal = false;
  std::chrono::microseconds reaped_cpu{0};  // of its processes that the keeper has reaped
  // For its EndRecord.
  std::optional<EndPlace> end_place;
  std::uint64_t start_time = 0;  // of the leader, as ProcessStat::start_time
  std::int64_t started_at = 0;   // Unix milliseconds
  bool undisturbed = false;      // the SIGTERM after its host changes nothing for it
  std::optional<LimitReached> limit_hit;
  std::vector<Placeholder> placeholders;        // of its sandbox
  TemporaryHold temporary;                      // of its sandbox
  std::shared_ptr<TemporaryGroup> sockets;      // of tmux and screen, or null
  std::string outside_group;                    // of its session, when it has no sandbox
  std::string network_group;                    // that it shares; "": none
  std::shared_ptr<network::Connects> connects;  // null: they are not checked
  // The pipe that is its standard input, which a process that waits for input reads; 0: no pipe.
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
  bool empty() const { return runs_.empty(); }
  KeeperRun* find(RunKey key);
  KeeperRun* find_leader(pid_t pid);
  void remove(KeeperRun& run);

  // The run of the keeper's child `pid`, which is no leader and may be a zombie; null: unknown.
  KeeperRun* run_of_orphan(pid_t pid);
  void forget_process(pid_t pid);  // it was reaped
  // Marks a child of the keeper that belongs to no run and ends without descendants, until it is
  // reaped.
  void set_apart(pid_t pid) { apart_.insert(pid); }

  // The living children of the keeper of which it is not sure to which run they belong, as of the
  // last rescan; with `run`: without those that count as its own or are older.
  std::vector<pid_t> strangers(const KeeperRun* run = nullptr) const;

  // Looks at the keeper's children again and updates the orphans of each run.
  void rescan();

  // As of the last rescan, parents before their children; zombies included.
  std::vector<pid_t> members(const KeeperRun& run);
  std::vector<pid_t> all_members();  // without those of spared runs
  // Signals every process in `members` of the run, and the leader's group with one call.
  void signal(const KeeperRun& run, const std::vector<pid_t>& members, int signal_number);
  // Signals only the leader's group, while there is a leader.
  static void signal_group(const KeeperRun& run, int signal_number);
  // Makes all_members and signal_all leave out detached runs.
  void spare_detached(bool spare) { spare_detached_ = spare; }
  // Signals everything below the keeper except what is spared.
  void signal_all(const std::vector<pid_t>& members, int signal_number);
  // Stops what keeps growing (SIGSTOP) until nothing new appears: the run's tree, or without a run
  // everything that is not spared. What is stopped makes no more processes, and keeps the place of
  // those that it would make.
  void halt(const KeeperRun* run);
  static std::vector<pid_t> alive(const std::vector<pid_t>& pids);

  template <typename Visit>
  void for_each(Visit visit) {
    for (auto& [key, run] : runs_) visit(run);
  }

 private:
  struct Owner {
    RunKey run = ~RunKey{0};  // of no run
    bool sure = false;        // a process cannot have made it up
  };
  Owner attribute(pid_t pid);
  bool is_own_child(pid_t pid) const;
  bool is_spared(pid_t own_child);
  // Signals one process, and with SIGKILL its whole group.
  template <typename StillOurs>
  void send(pid_t pid, int signal_number, StillOurs still_ours);

  std::uint32_t keeper_number_;
  std::string keeper_group_;
  ProcessTree tree_;
  std::uint32_t last_mark_run_ = 0;
  std::unordered_map<RunKey, KeeperRun> runs_;
  std::unordered_map<pid_t, RunKey> by_leader_;
  std::unordered_map<std::uint32_t, RunKey> by_mark_;
  std::unordered_map<pid_t, RunKey> by_session_;
  // Orphans by pid, which stays theirs until the keeper reaps them.
  std::unordered_map<pid_t, Owner> orphans_;
  // What was below a run once, and when, as ProcessStat::start_time: it stays that run's.
  struct Sighting {
    RunKey run = 0;
    std::uint64_t time = 0;
  };
  void note_sightings(RunKey run, const std::vector<pid_t>& members, std::uint64_t time);
  std::unordered_map<pid_t, Sighting> sightings_;
  std::size_t most_sightings_ = 4096;  // then those of processes that have ended go
  std::vector<pid_t> own_children_;
  std::unordered_set<pid_t> apart_;
  std::vector<RunKey> with_orphans_;
  bool spare_detached_ = false;
};

}  // namespace gibbous::keeper
