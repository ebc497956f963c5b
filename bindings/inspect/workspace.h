// Finds the recorded workspace that a directory belongs to, so that the runs of the caller's
// project come first. Any thread.
#pragma once

#include <string>
#include <vector>

#include "runtime/journal/record.h"

namespace gibbous::inspect {

// The directory of this process without symbolic links; "" when it has been removed.
std::string current_directory();

// The innermost workspace of these runs that is or contains `directory`; "" when none does.
std::string workspace_of(const std::string& directory, const std::vector<RunRecord>& runs);

}  // namespace gibbous::inspect
