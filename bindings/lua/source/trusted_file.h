// Who may change a policy: files and directories that others can write to are no policy of ours.
// Asked by the loader for everything that it reads for the policies. Any thread.
#pragma once

#include <string>

namespace gibbous::lua {

// Why nobody can rely on what this file says, "" when they can: it, or its directory, belongs to
// neither root nor the user of this process, or others may write to it. A group counts as others
// unless it is the user's own (same number as the user).
std::string objection_to_policy_file(const std::string& path);

}  // namespace gibbous::lua
