// TCP ports of this machine on which no process listens. Any thread.
#pragma once

#include <set>

namespace gibbous {

// Returns `wanted` when no process listens on it and it is not in `taken`, else a port that the
// kernel assigns, or 0 when there is none. Another process may take it before it is used.
int free_port(int wanted, const std::set<int>& taken);

}  // namespace gibbous
