// `gibbous policy suggest`: rules from what people approved, as a module for a policy directory.
#pragma once

#include "bindings/cli/exit_code.h"
#include "bindings/cli/options.h"
#include "gibbous/policy.h"

namespace gibbous::cli {

ExitCode print_suggestions(Policy& policy, const Options& options);

}  // namespace gibbous::cli
