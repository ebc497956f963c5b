// RunGroup: the control groups of one run: one directory in version 2, and one in each hierarchy of
// version 1 that enforces one of its limits. Made before the run's leader, which is born in the
// first and enters the others itself before it executes; removed when the run's tree is empty.
// Keeper only.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gibbous/status.h"
#include "runtime/base/unique_fd.h"
#include "runtime/process/cgroup_places.h"

namespace gibbous {

// The directories of all groups of one keeper have this name; the runs' groups are numbered below
// it.
std::string keeper_group_name(std::uint32_t keeper_number);

class RunGroup {
 public:
  // Enforces those of `limits` for which there is a place; `in_force` says which. Without limits,
  // the group only says whose a process is. A failing Status names the file that could not be
  // created or written.
  static Result<std::unique_ptr<RunGroup>> create(const CgroupPlaces& places,
                                                  const std::string& keeper_group,
                                                  std::uint32_t number, const TreeLimits& limits);
  ~RunGroup();  // removes what can be removed
  RunGroup(const RunGroup&) = delete;
  RunGroup& operator=(const RunGroup&) = delete;

  const LimitsInForce& in_force() const { return in_force_; }
  std::uint32_t number() const { return number_; }
  // The group in version 2, for CLONE_INTO_CGROUP; -1: there is none.
  int birthplace() const { return birthplace_.get(); }
  // A limit holds only for who is born there.
  bool needs_birthplace() const { return needs_birthplace_; }
  // After close_entries(), for another run. False: it is gone, because what cleans up takes
  // empty groups for left behind; or something is in it; or it was killed, and the kernel goes on
  // killing what is born in it.
  bool open_again();
  bool was_killed() const { return killed_; }
  // The leader writes "0" to each, and is then in the group.
  std::span<const int> entries() const { return entry_numbers_; }
  void close_entries();
  // Descriptors that become readable (EPOLLIN) or urgent (EPOLLPRI) when a limit may have been hit.
  const std::vector<UniqueFd>& events() const { return events_; }

  // Returns the limit that the kernel says was reached, with its figures.
  std::optional<LimitReached> reached() const;
  // Sends SIGKILL to every process in the group at once; only with version 2.
  void kill();
  // Returns false if a process is still in a group.
  bool remove();

 private:
  struct Directory {
    std::string path;
    LimitMeans version;
  };
  RunGroup() = default;
  Status add(const CgroupPlace& place, const std::string& keeper_group, std::uint32_t number,
             const char* controller, Directory** made);
  Status limit_memory(const Directory& group, std::uint64_t bytes);
  Status limit_cpu(const Directory& group, std::uint32_t share_millis);
  Status limit_pids(const Directory& group, std::uint32_t pids);

  CgroupPlace usable(const CgroupPlace& place) const;

  std::uint32_t number_ = 0;
  TreeLimits limits_;
  LimitsInForce in_force_;
  std::vector<std::unique_ptr<Directory>> directories_;
  Directory* memory_ = nullptr;
  Directory* pids_ = nullptr;
  Directory* kill_ = nullptr;
  UniqueFd birthplace_;
  bool needs_birthplace_ = false;
  bool killed_ = false;
  std::string second_;  // where the group in version 2 is
  std::vector<UniqueFd> entries_;
  std::vector<int> entry_numbers_;
  std::vector<UniqueFd> events_;
};

// How often the kernel has killed a process in a group for memory, as far as it says.
std::uint64_t count_memory_kills(const CgroupPlace& group);
// Returns the group's own limit in bytes; 0: it has none.
std::uint64_t memory_limit_of(const CgroupPlace& group);

// Returns the number of the run's group that a process is in; nothing when it is in none of this
// keeper's.
std::optional<std::uint32_t> read_run_group(pid_t pid, const std::string& keeper_group);

// Sends SIGKILL to everything in the groups of a keeper's runs, all of a run at once, but to those
// of which `is_spared` says so of a process. Only with version 2.
void kill_run_groups(const CgroupPlaces& places, std::uint32_t keeper_number,
                     const std::function<bool(pid_t)>& is_spared);

// Removes the groups of a keeper that has ended. Returns false when a process is still in them.
bool remove_keeper_groups(const CgroupPlaces& places, std::uint32_t keeper_number);

// Removes empty groups that ended keepers left behind.
void sweep_groups(const CgroupPlaces& places);

}  // namespace gibbous
