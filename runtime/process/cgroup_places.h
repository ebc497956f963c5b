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
  CgroupPlace kill;  // only version 2 has cgroup.kill; needs no controller
};

// Returns the places of this process, from /proc/self/mountinfo and /proc/self/cgroup; none if its
// environment has GIBBOUS_CGROUPS=off.
CgroupPlaces find_cgroup_places();
// Does the same with the texts of those two files. Only existing, writable directories count.
CgroupPlaces find_cgroup_places(std::string_view mountinfo, std::string_view own_groups);

}  // namespace gibbous
