// Checks who may change a policy: files and directories that other users can write to are not
// trusted. The loader checks everything that it reads for the policies. Any thread.
#pragma once

#include <map>
#include <string>

namespace gibbous::lua {

// What has been found about directories, by path: many files share one.
using DirectoryObjections = std::map<std::string, std::string>;

// Returns why this file cannot be trusted, or "": it or its directory belongs to neither root nor
// the user of this process, or others may write to it. A group counts as others unless it is the
// user's own (same number as the user).
std::string objection_to_policy_file(const std::string& path, DirectoryObjections* known);

}  // namespace gibbous::lua
