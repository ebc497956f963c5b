// What a tree of processes has in memory, for limits that no control group holds. Any thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>

namespace gibbous {

// Returns what shared memory and files in memory (tmpfs, memfd) take of the whole machine; 0 when
// the kernel does not say.
std::uint64_t machine_shared_memory();

// Returns the resident memory of the processes, each page once however many of them have it, and
// the files in memory that they hold open, mapped or not. A file in memory that none of them holds
// open counts for none. It walks their page tables. At most
// kMaxUsageProcesses processes and kMaxMemoryFiles open files are looked at.
inline constexpr std::size_t kMaxMemoryFiles = 16384;
std::uint64_t read_tree_memory(std::span<const pid_t> pids);

}  // namespace gibbous
