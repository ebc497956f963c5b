// seccomp: the system calls that no program in a sandbox needs and that lead out of one. Built with
// libseccomp by the keeper, once for each kind of network.
#pragma once

#include <linux/filter.h>

#include "gibbous/status.h"
#include "runtime/sandbox/sandbox.h"

namespace gibbous {

// Built at the first call (some milliseconds), then a constant: it depends on nothing but
// `network`. Any thread.
Result<sock_fprog> seccomp_filter(SandboxNetwork network);

}  // namespace gibbous
