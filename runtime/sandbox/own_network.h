// Whether a run can have namespaces here: a network and mounts of its own. Any thread.
#pragma once

namespace gibbous {

// Tried once in a process, in a child that copies nothing of it; other threads go on meanwhile.
bool can_own_network();

}  // namespace gibbous
