// Which absent names of a sandbox a keeper can hold. Any thread.
#pragma once

#include "runtime/paths/mount_types.h"
#include "runtime/sandbox/sandbox.h"

namespace gibbous {

// Returns the profile with names in `occupied` on local file systems alone; the others are in
// `unwritable`. To let go of a name is to ask its file system, which must not be what keeps the
// keeper waiting.
SandboxSpec holdable(const SandboxSpec& spec, const paths::MountTable& mounts);

}  // namespace gibbous
