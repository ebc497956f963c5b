// The helper: a process that answers questions about paths, one after another, and may hang for
// ever at one. No thread waits for it. It ends when its socket is closed, or after a while without
// questions.
#pragma once

#include "runtime/base/unique_fd.h"

namespace gibbous::paths {

// The program's argument that makes a helper of it.
inline constexpr const char* kHelperArgument = "--look-at-paths";

// Returns the exit status.
int serve(UniqueFd socket);

}  // namespace gibbous::paths
