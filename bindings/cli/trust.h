// Whether a person trusts what a project brings along: asked on a terminal, never answered without
// one. Main thread.
#pragma once

#include "bindings/cli/exit_code.h"
#include "bindings/cli/options.h"
#include "gibbous/layers.h"

namespace gibbous::cli {

// Shows what would be trusted and asks, if there is a terminal. Returns kDone when it is trusted
// now, and else says why not (kNeedsApproval without a terminal, kDenied after a no).
ExitCode ask_for_trust(const TrustCandidate& candidate, const Options& options);

}  // namespace gibbous::cli
