// Which processes a pid of this process's can be: those of this boot, in this pid namespace. Any
// thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace gibbous {

// Equal for two processes only when each can see the other under its pid.
std::string pid_space();
// Whether the process with this pid and start time (ProcessStat::start_time) is alive. Only for
// pids of this pid_space.
bool is_process_alive(std::int64_t pid, std::int64_t start_time);

// Returns a name for this process that is unique across machines: "MACHINE/BOOT/PIDS/PID/START",
// without blanks.
std::string process_tag();
// Whether the process of a tag is alive; nothing when that cannot be seen from here.
std::optional<bool> is_tagged_process_alive(const std::string& tag);

}  // namespace gibbous
