#include "runtime/paths/mount_types.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <functional>
#include <string>
#include <vector>

namespace gibbous::paths {
namespace {

// A list of what is known to answer: what is new or rare counts as what may not.
constexpr std::array kLocalTypes = {
    "bcachefs", "binfmt_misc", "bpf",       "btrfs",   "cgroup",   "cgroup2", "configfs", "debugfs",
    "devpts",   "devtmpfs",    "efivarfs",  "erofs",   "exfat",    "ext2",    "ext3",     "ext4",
    "f2fs",     "fusectl",     "hugetlbfs", "iso9660", "jfs",      "mqueue",  "msdos",    "nilfs2",
    "nsfs",     "ntfs3",       "overlay",   "proc",    "pstore",   "ramfs",   "reiserfs", "resctrl",
    "rootfs",   "securityfs",  "selinuxfs", "smackfs", "squashfs", "sysfs",   "tmpfs",    "tracefs",
    "ubifs",    "udf",         "vfat",      "xfs",     "zfs"};

constexpr std::size_t kReadBytes = 16'384;

// Reads from the beginning, which also takes note of the changes so far.
std::string read_whole(int fd) {
  std::string text;
  std::array<char, kReadBytes> part;
  while (true) {
    const ssize_t size = ::pread(fd, part.data(), part.size(), static_cast<off_t>(text.size()));
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return text;
    text.append(part.data(), static_cast<std::size_t>(size));
  }
}

// systemd mounts binfmt_misc on demand, on every machine.
bool is_kernels(const Mount& mount) {
  return mount.type == "autofs" &&
         (mount.point.rfind("/proc/", 0) == 0 || mount.point.rfind("/sys/", 0) == 0);
}

}  // namespace

bool is_local_type(std::string_view type) {
  return std::find(kLocalTypes.begin(), kLocalTypes.end(), type) != kLocalTypes.end();
}

MountTable MountTable::parse(std::string_view mountinfo) {
  MountTable table;
  table.mounts_ = parse_mounts(mountinfo);
  table.fingerprint_ = std::max<std::uint64_t>(std::hash<std::string_view>()(mountinfo), 1);
  const std::vector<Mount>& mounts = table.mounts_;
  for (const Mount& mount : mounts) {
    if (is_local_type(mount.type) || is_kernels(mount)) table.local_.insert(mount.id);
  }
  // A line that cannot be read may be any mount.
  const auto lines = std::count(mountinfo.begin(), mountinfo.end(), '\n');
  table.all_local_ = !mounts.empty() && table.local_.size() == mounts.size() &&
                     mounts.size() == static_cast<std::size_t>(lines);
  return table;
}

MountTypes::MountTypes() : file_(::open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)) {}

std::shared_ptr<MountTypes> MountTypes::of_process() {
  struct Shared {
    std::mutex mutex;
    std::weak_ptr<MountTypes> types;
    pid_t owner = 0;
  };
  static auto* shared = new Shared;  // threads may outlive what is static
  const std::lock_guard lock(shared->mutex);
  std::shared_ptr<MountTypes> types = shared->types.lock();
  // After a fork both would read from one open file, which tells of a change once.
  if (types != nullptr && shared->owner == ::getpid()) return types;
  types = std::make_shared<MountTypes>();
  shared->types = types;
  shared->owner = ::getpid();
  return types;
}

// proc(5): a change of the mounts is an exceptional condition of the file.
bool MountTypes::have_changed() const {
  pollfd file{file_.get(), POLLPRI, 0};
  return ::poll(&file, 1, 0) != 0;
}

std::shared_ptr<const MountTable> MountTypes::now() {
  const std::lock_guard lock(mutex_);
  if (table_ == nullptr || (file_ && have_changed())) {
    const std::string text = file_ ? read_whole(file_.get()) : std::string();
    table_ = std::make_shared<const MountTable>(MountTable::parse(text));
  }
  return table_;
}

}  // namespace gibbous::paths
