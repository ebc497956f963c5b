#include "runtime/paths/entries.h"

#include <dirent.h>

#include <memory>
#include <string_view>

#include "runtime/paths/mount_types.h"
#include "runtime/paths/walk.h"

namespace gibbous::paths {

std::vector<Entry> entries(const std::string& directory, const MountTable* mounts) {
  std::vector<Entry> all;
  if (mounts != nullptr && !mounts->all_local()) {
    const Walked walked = walk(directory, mounts);
    if (walked.reached != Reached::kFound || !mounts->is_local(walked.mount)) return all;
  }
  const auto close = [](DIR* stream) { ::closedir(stream); };
  const std::unique_ptr<DIR, decltype(close)> stream(::opendir(directory.c_str()), close);
  if (!stream) return all;
  for (int count = 0; count < kMaxEntries; ++count) {
    const dirent* each = ::readdir(stream.get());
    if (each == nullptr) break;
    const std::string_view name = each->d_name;
    if (name == "." || name == "..") continue;
    const bool unsaid = each->d_type == DT_UNKNOWN;
    all.push_back(
        {std::string(name), unsaid || each->d_type == DT_LNK, unsaid || each->d_type == DT_DIR});
  }
  return all;
}

}  // namespace gibbous::paths
