// The processes that a pid may mean here: those of this boot, in this pid namespace. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace gibbous {

// Returns a text that is equal for two processes only if each can see the other under its pid:
// "BOOT PIDS MACHINE", with as many of the words as are known.
std::string pid_space();
// Returns whether the process with this pid and start time (ProcessStat::start_time) is alive. Only
// for pids of this pid_space.
bool is_process_alive(std::int64_t pid, std::int64_t start_time);
// The same for a process of any pid_space. A process from before this machine's boot is dead;
// nothing for one that cannot be seen from here.
std::optional<bool> is_process_alive(const std::string& space, std::int64_t pid,
                                     std::int64_t start_time);

// Returns a name for this process that is unique across machines: "MACHINE/BOOT/PIDS/PID/START",
// without blanks.
std::string process_tag();
// Returns whether the process of a tag is alive; nothing if that cannot be seen from here.
std::optional<bool> is_tagged_process_alive(const std::string& tag);

}  // namespace gibbous
