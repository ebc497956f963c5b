// The output of several runs in the order in which it was written, each line behind the name of its
// run, for `gibbous logs web db`. Main thread.
#pragma once

#include <string>
#include <vector>

#include "bindings/cli/follow.h"
#include "bindings/cli/log_source.h"

namespace gibbous::cli {

// Prints the output of all of them and, with --follow, goes on until all have ended. Fails when one
// of them cannot be read or, at the end, when the host of one has gone.
Status print_merged(JournalReader& reader, std::vector<LogSource> sources, const Terminal& terminal,
                    Follow& follow, const Options& options);

}  // namespace gibbous::cli
