// Which process holds a socket. Loop thread; bounded, so that a machine with many processes costs
// a wait its pid rather than the loop its pace.
#pragma once

#include <sys/types.h>

namespace gibbous {

// The pid of a process that has the socket with this inode open, looking first at the tree below
// `likely` (0: none) and then at the newest processes; 0 when it is not found, not ours to see, or
// there are too many to look through.
pid_t find_socket_owner(ino_t inode, pid_t likely);

}  // namespace gibbous
