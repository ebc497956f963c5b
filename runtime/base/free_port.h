// TCP ports of this machine that nobody listens on. Any thread.
#pragma once

#include <set>

namespace gibbous {

// `wanted` when nobody listens on it and it is not in `taken`, else one that the kernel gives; 0:
// there is none. Somebody else may take it before it is used.
int free_port(int wanted, const std::set<int>& taken);

}  // namespace gibbous
