// Settings of package managers in sandboxed runs: their files hold the company's registry beside
// its tokens. Loop thread only.
#pragma once

#include "bindings/lua/call/context.h"
#include "runtime/sandbox/sandbox.h"

namespace gibbous::lua {

// Has the policy make what the run sees of the files in `views`. A file that it makes nothing of
// is hidden; one in the workspace that has no secret stays as it is.
void show_settings(const Context& context, SandboxSpec* spec);

}  // namespace gibbous::lua
