// Tells whether a process belongs to a run of Gibbous, so that no run uses what starts or decides
// things for it. Goes by the parents, which a process cannot choose: one that loses its parent
// becomes a child of the keeper. Any thread; up to some milliseconds.
#pragma once

#include <sys/types.h>

namespace gibbous {

// Returns true when a keeper, or its warden, stands above the process and not above this one as
// well. Also when the process has gone: who it was cannot be known.
bool is_of_run(pid_t pid);

// The same for this process, whatever runs it.
bool is_inside_run();

// Returns true when what is at the other end of a connected socket, unix or TCP, belongs to a run:
// for TCP, one that holds the socket there. False for what is on another machine, or in a namespace
// of processes or of the network that this one does not see.
bool is_peer_of_run(int socket);

}  // namespace gibbous
