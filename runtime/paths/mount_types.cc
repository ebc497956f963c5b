#include "runtime/paths/mount_types.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <string>

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
constexpr std::string_view kSeparator = " - ";

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

// The fifth field.
std::string_view point_of(std::string_view line) {
  for (int field = 0; field < 4; ++field) {
    const std::size_t end = line.find(' ');
    if (end == std::string_view::npos) return "";
    line.remove_prefix(end + 1);
  }
  return line.substr(0, line.find(' '));
}

}  // namespace

bool is_local_type(std::string_view type) {
  return std::find(kLocalTypes.begin(), kLocalTypes.end(), type) != kLocalTypes.end();
}

MountTable MountTable::parse(std::string_view mountinfo) {
  MountTable table;
  table.all_local_ = !mountinfo.empty();
  for (std::size_t at = 0; at < mountinfo.size();) {
    const std::size_t end = std::min(mountinfo.find('\n', at), mountinfo.size());
    const std::string_view line = mountinfo.substr(at, end - at);
    at = end + 1;
    const std::size_t separator = line.find(kSeparator);
    std::uint64_t id = 0;
    const auto read = std::from_chars(line.data(), line.data() + line.size(), id);
    if (read.ec != std::errc{} || separator == std::string_view::npos) {
      table.all_local_ = false;
      continue;
    }
    const std::string_view rest = line.substr(separator + kSeparator.size());
    const std::string_view type = rest.substr(0, rest.find(' '));
    // systemd mounts binfmt_misc on demand, on every machine.
    const bool kernels = type == "autofs" && (point_of(line).rfind("/proc/", 0) == 0 ||
                                              point_of(line).rfind("/sys/", 0) == 0);
    if (is_local_type(type) || kernels) {
      table.local_.insert(id);
    } else {
      table.all_local_ = false;
    }
  }
  return table;
}

MountTypes::MountTypes() : file_(::open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)) {}

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
