// MountTypes: which mounts answer for themselves. A file system that another machine or another
// process answers for (NFS, sshfs and all other FUSE, 9p, autofs) can leave a process that asks it
// waiting for ever, and nothing ends that wait. Any thread.
//
// An overlay counts as local, because containers have nothing else as their root.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "runtime/base/mounts.h"
#include "runtime/base/unique_fd.h"

namespace gibbous::paths {

class MountTable {
 public:
  // `mountinfo` as in /proc/self/mountinfo.
  static MountTable parse(std::string_view mountinfo);

  // True while no mount could leave a process waiting.
  bool all_local() const { return all_local_; }
  // `id` as statx(2) reports it. An unknown mount is not local.
  bool is_local(std::uint64_t id) const { return local_.count(id) != 0; }
  const std::vector<Mount>& mounts() const { return mounts_; }
  // Differs between tables that differ; never 0.
  std::uint64_t fingerprint() const { return fingerprint_; }

 private:
  std::vector<Mount> mounts_;
  std::uint64_t fingerprint_ = 1;
  std::unordered_set<std::uint64_t> local_;
  bool all_local_ = false;
};

// Follows the mounts of this process; what they are is read again when they change.
class MountTypes {
 public:
  MountTypes();

  // Returns the one that this process shares while any of its parts holds it.
  static std::shared_ptr<MountTypes> of_process();

  std::shared_ptr<const MountTable> now();

 private:
  bool have_changed() const;

  std::mutex mutex_;
  UniqueFd file_;  // /proc/self/mountinfo, which tells of changes
  std::shared_ptr<const MountTable> table_;
};

// Types of file systems that live in this machine's kernel, or on its disks.
bool is_local_type(std::string_view type);

}  // namespace gibbous::paths
