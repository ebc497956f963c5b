#include "runtime/paths/entries.h"

#include <memory>
#include <string_view>

#include "runtime/base/listing.h"
#include "runtime/paths/mount_types.h"
#include "runtime/paths/walk.h"

namespace gibbous::paths {

std::vector<Entry> entries(const std::string& directory, const MountTable* mounts) {
  std::vector<Entry> all;
  if (mounts != nullptr && !mounts->all_local()) {
    const Walked walked = walk(directory, mounts);
    if (walked.reached != Reached::kFound || !mounts->is_local(walked.mount)) return all;
  }
  Listing listing(directory);
  while (const dirent* each = all.size() < kMaxEntries ? listing.next() : nullptr) {
    const bool unsaid = each->d_type == DT_UNKNOWN;
    all.push_back(
        {each->d_name, unsaid || each->d_type == DT_LNK, unsaid || each->d_type == DT_DIR});
  }
  return all;
}

}  // namespace gibbous::paths
