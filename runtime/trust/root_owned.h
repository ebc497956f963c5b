// Says who could change a path: what only root can change binds its users. Any thread; waits for
// the disk.
#pragma once

#include <string>

namespace gibbous::trust {

// Returns why another user than root could change what an absolute path leads to, or "": some part
// of it, or of where a symbolic link in it leads, does not belong to root, or can be written by
// others. A part that does not exist objects to nothing.
std::string objection_to_root_path(const std::string& path);

}  // namespace gibbous::trust
