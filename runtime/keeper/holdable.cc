#include "runtime/keeper/holdable.h"

#include <algorithm>
#include <string>

#include "runtime/paths/walk.h"

namespace gibbous {

SandboxSpec holdable(const SandboxSpec& spec, const paths::MountTable& mounts) {
  SandboxSpec made = spec;
  if (mounts.all_local()) return made;
  std::erase_if(made.occupied, [&](const std::string& name) {
    const std::size_t end = name.find_last_not_of('/');
    const std::string path = name.substr(0, end + 1);
    const paths::Walked around =
        paths::walk(path.substr(0, std::max<std::size_t>(path.rfind('/'), 1)), &mounts);
    const bool local = around.reached == paths::Reached::kFound && mounts.is_local(around.mount);
    if (!local) made.unwritable.push_back(path);
    return !local;
  });
  return made;
}

}  // namespace gibbous
