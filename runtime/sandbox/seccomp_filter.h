// The seccomp filter forbids system calls that no program in a sandbox needs and that lead out of
// one. The keeper builds it with libseccomp, once for each kind of network.
#pragma once

#include <linux/filter.h>
#include <sys/types.h>

#include <span>
#include <vector>

#include "gibbous/status.h"
#include "runtime/sandbox/sandbox.h"

namespace gibbous {

// Built at the first call (a few milliseconds), then constant: it depends only on `network`. Any
// thread.
Result<sock_fprog> seccomp_filter(SandboxNetwork network);
// Comes before that one. Its listener is asked about connects and sends, with kChecked, and about
// kill(2) of these processes.
Result<std::vector<sock_filter>> asking_filter(SandboxNetwork network,
                                               std::span<const pid_t> signalled);

}  // namespace gibbous
