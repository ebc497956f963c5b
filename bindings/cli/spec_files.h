// Finds the files that `gibbous test` runs. Main thread.
#pragma once

#include <string>
#include <vector>

#include "gibbous/status.h"

namespace gibbous::cli {

// Returns the files among `paths`, and those named *_spec.lua below the directories among them,
// each absolute, once, in the order of the names; without paths, below scripts, specs and tests of
// the workspace. Fails with invalid_arguments when a path does not exist or there is no spec.
Result<std::vector<std::string>> find_specs(const std::vector<std::string>& paths,
                                            const std::string& workspace);

}  // namespace gibbous::cli
