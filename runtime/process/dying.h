// Tells of processes that are dead in all but name. Any thread.
#pragma once

#include <sys/types.h>

namespace gibbous {

// Whether each thread of the process has ended, is ending (closing a file can wait for its file
// system) or is about to be killed. A process whose first thread alone has ended is not dying.
bool is_dying(pid_t pid);

}  // namespace gibbous
