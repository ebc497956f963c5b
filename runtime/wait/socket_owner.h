// Finds the process that holds a socket. Loop thread. The search is bounded: on a machine with many
// processes, a wait may lack the pid, but the loop stays fast.
#pragma once

#include <sys/types.h>

namespace gibbous {

// Returns the pid of a process that has the socket with this inode open. Searches the tree below
// `likely` (0: none) first and then the newest processes. Returns 0 when it finds none, may not see
// it, or reaches its bound.
pid_t find_socket_owner(ino_t inode, pid_t likely);

}  // namespace gibbous
