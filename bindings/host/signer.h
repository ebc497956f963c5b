// Lets git in a sandbox sign: bindings/cli/sign.h says how. The process that signs is a run of the
// host's own, started with the first run that may have something signed. Loop thread only.
#pragma once

#include <functional>

#include "bindings/lua/call/context.h"
#include "runtime/runs/run.h"

namespace gibbous::host {

// Returns what shows a run the socket and tells its git of it; null where the `gibbous` command is
// not installed. `context` must outlive it.
std::function<void(RunSpec*)> make_signer(const lua::Context& context);

}  // namespace gibbous::host
