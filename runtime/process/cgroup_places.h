// Finds where this process may create control groups: for each controller the hierarchy, its
// version and the group below which new ones can be made. Version 2 where the controller is
// delegated, else version 1; hybrid layouts have both, in different places. The keeper and `doctor`
// use it. Any thread.
#pragma once

#include <string>
#include <string_view>

#include "runtime/process/tree_limits.h"

namespace gibbous {

struct CgroupPlace {
  LimitMeans version = LimitMeans::kNone;  // kCgroup1, kCgroup2 or kNone
  std::string directory;

  bool ok() const { return version != LimitMeans::kNone; }
};

struct CgroupPlaces {
  CgroupPlace memory;
  CgroupPlace cpu;
  CgroupPlace pids;
  // The group in which runs without a limit of their own count; need not be writable.
  CgroupPlace memory_around;
  CgroupPlace kill;  // only version 2 has cgroup.kill; needs no controller
};

// The keeper's own group, where a group was made for the keeper: one with processes can hand on no
// controllers, so the keeper goes below it and the runs' groups beside the keeper.
inline constexpr const char* kKeeperLeaf = "gibbous-keeper";

// Returns the places of this process, from /proc/self/mountinfo and /proc/self/cgroup; none if its
// environment has GIBBOUS_CGROUPS=off.
CgroupPlaces find_cgroup_places();
// Does the same with the texts of those two files. Only existing, writable directories count.
CgroupPlaces find_cgroup_places(std::string_view mountinfo, std::string_view own_groups);

// GIBBOUS_CGROUPS=off.
bool are_cgroups_off();

// Returns the group in version 2 of a text of /proc/PID/cgroup, "/a/b"; "" when it names none.
std::string version2_group(std::string_view groups);
// Returns the directory of such a group where a file system of version 2 shows it, else "".
std::string version2_directory(std::string_view mountinfo, const std::string& group);

}  // namespace gibbous
