// Finds the git repositories that a sandboxed run has made below its workspace: unlike those that
// were there, nothing protected them from it, and git obeys their configuration and hooks. Loop
// thread only.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runtime/runs/runs.h"

namespace gibbous::host {

// Looks beside the loop, after the end of the run. Calls back once unless it returns false, because
// nothing is to be looked for: with the directories of the repositories, relative to the workspace,
// "." for itself. None: it has made none, or the file system does not answer.
bool find_made_repositories(Runs& runs, const Run& run,
                            std::function<void(std::vector<std::string> made)> on_found);

}  // namespace gibbous::host
