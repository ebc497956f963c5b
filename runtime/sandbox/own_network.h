// Whether a run can have a network of its own here. Any thread.
#pragma once

namespace gibbous {

// Tried once in a process, in a child that copies nothing of it; other threads go on meanwhile.
bool can_own_network();

}  // namespace gibbous
