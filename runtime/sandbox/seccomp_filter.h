// The seccomp filter forbids system calls that no program in a sandbox needs and that lead out of
// one. The keeper builds it with libseccomp, once for each kind of network.
#pragma once

#include <linux/filter.h>

#include "gibbous/status.h"
#include "runtime/sandbox/sandbox.h"

namespace gibbous {

// Built at the first call (a few milliseconds), then constant: it depends only on `network`. Any
// thread.
Result<sock_fprog> seccomp_filter(SandboxNetwork network);
// With kChecked, comes before that one: its listener is asked about connects and sends.
Result<sock_fprog> asking_filter();

}  // namespace gibbous
