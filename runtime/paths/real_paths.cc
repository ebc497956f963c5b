#include "runtime/paths/real_paths.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <strings.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

#include "runtime/base/listing.h"
#include "runtime/base/path_text.h"
#include "runtime/base/unique_fd.h"
#include "runtime/paths/walk.h"

namespace gibbous::paths {
namespace {

constexpr int kAskedSingly = 3;  // questions about a directory that are cheaper than its list
// Their directories list whatever can be found in them; others make some of it when it is asked
// for.
constexpr std::uint32_t kListsAll[] = {EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC, BTRFS_SUPER_MAGIC,
                                       F2FS_SUPER_MAGIC, TMPFS_MAGIC,     OVERLAYFS_SUPER_MAGIC};
constexpr std::size_t kMostListed = 2048;  // entries of a directory

bool is_ascii(const std::string& name) {
  return std::all_of(name.begin(), name.end(), [](char byte) { return byte > 0; });
}

bool may_be_one(const std::vector<std::string>& names, const std::string& name) {
  // Some file systems take names in any case for the same.
  return std::any_of(names.begin(), names.end(), [&](const std::string& each) {
    return ::strcasecmp(each.c_str(), name.c_str()) == 0 || !is_ascii(each);
  });
}

bool lists_all(int directory) {
  struct statfs system {};
  if (::fstatfs(directory, &system) != 0) return false;
  const auto type = static_cast<std::uint32_t>(system.f_type);
  return std::find(std::begin(kListsAll), std::end(kListsAll), type) != std::end(kListsAll);
}

std::size_t end_of_parent(const std::string& path) {
  return std::max<std::size_t>(path.rfind('/'), 1);
}

}  // namespace

std::string RealPaths::real(const std::string& absolute) {
  const std::size_t slash = absolute.rfind('/');
  const bool is_usual = !absolute.empty() && absolute[0] == '/' && slash + 1 < absolute.size() &&
                        absolute.size() < PATH_MAX && normalize_path(absolute) == absolute;
  if (!is_usual) return real_path(absolute);
  const std::string above = absolute.substr(0, end_of_parent(absolute));
  if (is_missing(above)) return absolute;
  const Directory& directory = ask(above);
  if (!directory.is_plain || may_be_one(directory.links, absolute.substr(slash + 1))) {
    return real_path(absolute);
  }
  return absolute;
}

RealPaths::Directory& RealPaths::ask(const std::string& path) {
  Directory& directory = directories_[path];
  if (++directory.asked == kAskedSingly + 1) look(path, &directory);
  return directory;
}

// Returns true only for what is no directory, and behind no link: in it is no link either.
bool RealPaths::is_missing(const std::string& path) {
  if (path == "/") return false;
  Directory& directory = directories_[path];
  if (directory.is_there || directory.is_missing) return directory.is_missing;
  const std::string above = path.substr(0, end_of_parent(path));
  if (is_missing(above)) return directory.is_missing = true;
  const Directory& holder = ask(above);
  if (!holder.is_plain || !holder.lists_all) return false;
  directory.is_there = may_be_one(holder.directories, path.substr(path.rfind('/') + 1));
  return directory.is_missing = !directory.is_there;
}

void RealPaths::look(const std::string& path, Directory* directory) {
  open_how how{};
  how.flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK;
  how.resolve = RESOLVE_NO_SYMLINKS;
  const long file = ::syscall(SYS_openat2, AT_FDCWD, path.c_str(), &how, sizeof(how));
  if (file < 0) {
    // The kernel reports a link before what is missing behind it. In no directory is no link.
    directory->is_plain = directory->lists_all = errno == ENOENT || errno == ENOTDIR;
    return;
  }
  directory->lists_all = lists_all(static_cast<int>(file));
  Listing listing{UniqueFd(static_cast<int>(file))};
  if (!listing) return;
  std::size_t count = 0;
  errno = 0;
  const dirent* entry = nullptr;
  while (count++ < kMostListed && (entry = listing.next()) != nullptr) {
    const bool is_link = entry->d_type == DT_LNK || entry->d_type == DT_UNKNOWN;
    if (is_link) directory->links.emplace_back(entry->d_name);
    if (is_link || entry->d_type == DT_DIR) directory->directories.emplace_back(entry->d_name);
  }
  directory->is_plain = entry == nullptr && errno == 0;
}

}  // namespace gibbous::paths
