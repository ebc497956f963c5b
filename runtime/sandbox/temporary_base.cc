#include "runtime/sandbox/temporary_base.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <utility>
#include <vector>

#include "runtime/base/listing.h"
#include "runtime/base/random_id.h"

namespace gibbous {
namespace {

constexpr int kMostBases = 8;  // of the base, where others have taken the first ones

}  // namespace

std::string base_in(std::string_view around) {
  const std::string plain = std::string(around) + "/gibbous-" + std::to_string(::geteuid());
  std::string free;
  for (int number = 0; number < kMostBases; ++number) {
    std::string name = number == 0 ? plain : plain + "-" + std::to_string(number);
    struct stat info {};
    if (::lstat(name.c_str(), &info) != 0) {
      if (free.empty()) free = std::move(name);
    } else if (S_ISDIR(info.st_mode) && info.st_uid == ::geteuid()) {
      return name;
    }
  }
  return free.empty() ? plain : free;
}

bool is_ours(const struct stat& info) {
  return S_ISDIR(info.st_mode) && info.st_uid == ::geteuid();
}

UniqueFd open_below(int around, const char* name, std::uint64_t flags) {
  open_how how{};
  how.flags = flags | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV;
  return UniqueFd(static_cast<int>(::syscall(SYS_openat2, around, name, &how, sizeof how)));
}

UniqueFd own_directory(int around, const char* name, mode_t mode, bool repair) {
  for (int attempt = 0; attempt < 4; ++attempt) {
    const UniqueFd there = open_below(around, name, O_PATH | O_NOFOLLOW);
    struct stat info {};
    if (there && ::fstat(there.get(), &info) == 0 && is_ours(info)) {
      const std::string self = "/proc/self/fd/" + std::to_string(there.get());
      if ((info.st_mode & kForAll) != mode && ::chmod(self.c_str(), mode) != 0) return {};
      return open_below(around, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    }
    if (!there && errno != ENOENT && errno != ELOOP && errno != EXDEV) return {};
    if (there || errno != ENOENT) {
      const std::string aside = name + std::string(kAside) + random_id();
      if (!repair) {
        errno = EPERM;
        return {};
      }
      if (::renameat(around, name, around, aside.c_str()) != 0) return {};
    }
    if (::mkdirat(around, name, kForUser) != 0 && errno != EEXIST) return {};
  }
  errno = EAGAIN;
  return {};
}

// What is too deep is moved beside the top, and left for the next time.
static void remove_below(const std::pair<int, std::string>& top, int around, const char* name,
                         int depth) {
  if (::unlinkat(around, name, 0) == 0) return;
  if (depth == 0) {
    const std::string beside =
        top.second.substr(0, top.second.find(kAside)) + std::string(kAside) + random_id();
    (void)::fchmodat(around, name, kForUser, 0);
    (void)::renameat(around, name, top.first, beside.c_str());
    return;
  }
  UniqueFd directory = open_below(around, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!directory && errno == EACCES) {
    if (const UniqueFd closed = open_below(around, name, O_PATH | O_DIRECTORY | O_NOFOLLOW)) {
      (void)::chmod(("/proc/self/fd/" + std::to_string(closed.get())).c_str(), kForUser);
      directory = open_below(around, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    }
  }
  if (!directory) return;
  (void)::fchmod(directory.get(), kForUser);
  Listing listing(std::move(directory));
  std::vector<std::string> names;
  while (const dirent* const entry = listing.next()) names.emplace_back(entry->d_name);
  for (const std::string& each : names) remove_below(top, listing.fd(), each.c_str(), depth - 1);
  (void)::unlinkat(around, name, AT_REMOVEDIR);
}

void remove_tree(int around, const char* name) {
  remove_below({around, name}, around, name, kDeepest);
}

bool write_whole(int around, const std::string& name, std::string_view text, mode_t mode) {
  const std::string made = name + std::string(kAside) + random_id();
  const UniqueFd file(
      ::openat(around, made.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  const bool written =
      file && ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (written && ::renameat(around, made.c_str(), around, name.c_str()) == 0) return true;
  (void)::unlinkat(around, made.c_str(), 0);
  return false;
}

UniqueFd open_base(std::string_view around) {
  UniqueFd base(::open(base_in(around).c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat info {};
  if (!base || ::fstat(base.get(), &info) != 0 || !is_ours(info)) return {};
  return base;
}

}  // namespace gibbous
