// A scope of the user's systemd manager. In a login session nothing of the tree of control groups
// belongs to the user, but the user's manager has a part of it, and hands some on to who asks: it
// moves processes into a new group (a "scope") below which they can make groups for runs. `busctl`
// asks it. Any thread.
//
// Nothing is asked for where control groups are off, where this process is in a run of another
// Gibbous, whose group it would leave, or in a service of the system, whose limits would no longer
// hold.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "gibbous/status.h"
#include "runtime/process/cgroup_places.h"

namespace gibbous {

// How long a manager may take.
inline constexpr std::chrono::seconds kUserScopePatience{5};

std::string user_scope_name(std::uint32_t keeper_number);

// Returns ok when this process may leave its control groups for a scope, or why it must not.
Status may_leave_groups();
// Does the same with the text of /proc/self/cgroup.
Status may_leave_groups(std::string_view own_groups);

// Moves the processes into a new scope, and there into a group below it (kKeeperLeaf), so that it
// can hand on its controllers. The first counts: the call returns when it has arrived. Blocks for
// as long as kUserScopePatience, and leaves no child. A failure says what is missing.
Status make_user_scope(std::uint32_t keeper_number, std::span<const pid_t> processes);

// Makes a scope for a child that does nothing, and returns where a keeper could make groups in one
// of its own. Takes as long, and leaves nothing.
Result<CgroupPlaces> try_user_scope();

}  // namespace gibbous
