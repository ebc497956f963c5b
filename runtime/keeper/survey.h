// What the lookout sees of the keeper, its wardens and the runs: who is stopped, and which
// processes are the runs'. Each look is a list of all processes, and no snapshot. Keeper only.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "runtime/base/unique_fd.h"
#include "runtime/process/proc.h"

namespace gibbous::keeper {

class WardenPage;

// Returns a pidfd; unset when there is no such process.
UniqueFd open_process(pid_t pid);
// Returns true when the process of a pidfd has ended.
bool is_over(const UniqueFd& process);
// Whether the process belongs to a run that outlives its host.
bool is_kept(const WardenPage& page, pid_t pid);

// The keeper or a warden.
struct Watched {
  explicit Watched(pid_t of) : pid(of), process(open_process(of)) {}

  bool alive() const { return !is_over(process); }
  bool send(int number) const;
  // Continues it. Returns true when it was stopped.
  bool wake() const;

  pid_t pid;
  UniqueFd process;
};

class Guards {
 public:
  static constexpr std::size_t kCount = 3;
  explicit Guards(const WardenPage& page);

  const Watched& keeper() const { return all_[0]; }
  const std::array<Watched, kCount>& all() const { return all_; }
  bool has_warden() const { return all_[1].alive() || all_[2].alive(); }
  // Continues all that are stopped, and says which these were.
  std::array<bool, kCount> wake_each() const;
  // Returns true when one was.
  bool wake() const;
  void end_wardens() const;

 private:
  std::array<Watched, kCount> all_;
};

// A run's processes; or some of which nobody can tell whose they are, but that they belong
// together: by a control group, a session, or as parents and children.
struct Suspect {
  struct Process {
    ProcessStat stat;
    std::optional<std::uint32_t> group;  // the number of its run's control group
  };
  std::uint64_t key = 0;  // the same at the next look
  std::uint32_t run = 0;  // its number in marks; 0: unknown
  std::vector<Process> processes;
};

// One look at all processes.
class Survey {
 public:
  Survey(const Guards& guards, const WardenPage& page, bool spares_kept);

  // Returns the runs' processes. `sessions`: of those seen so far; those without a process are
  // dropped.
  std::vector<ProcessStat> find(std::set<pid_t>& sessions);
  // Returns the same by whose they are.
  std::vector<Suspect> suspects(std::set<pid_t>& sessions);

  bool is_spared_group(pid_t group) const { return spared_groups_.contains(group); }
  // Sends a signal to the whole group of such a process, which may be a zombie, and to itself.
  void send(const ProcessStat& process, int number) const;

 private:
  bool spares(pid_t pid) const { return spares_kept_ && is_kept(page_, pid); }
  void add(const ProcessStat& stat);
  void add_below(pid_t root);
  void add_marked(const ProcessStat& stat);
  bool has_session(pid_t session) const;

  const WardenPage& page_;
  bool spares_kept_;
  std::unordered_set<pid_t> guards_;
  std::unordered_set<pid_t> spared_groups_;
  std::unordered_set<pid_t> spared_sessions_;
  std::unordered_map<pid_t, ProcessStat> all_;
  std::unordered_map<pid_t, std::vector<pid_t>> children_;
  std::unordered_set<pid_t> known_;
  std::vector<ProcessStat> found_;
};

}  // namespace gibbous::keeper
