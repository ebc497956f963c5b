// The unix sockets that programs of a session hold open in the machine's temporary directories, so
// that its sandboxed runs, which have directories of their own in their place, can be shown them.
// Keeper only.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace gibbous::keeper {

// Returns the absolute paths of what these processes listen at there, without those of programs
// that carry out what their clients say (terminal multiplexers, editors, agents of keys,
// engines): they would lead out of a sandbox. `processes` is asked only when a program listens
// there.
std::vector<std::string> session_sockets(const std::function<std::vector<pid_t>()>& processes);

}  // namespace gibbous::keeper
