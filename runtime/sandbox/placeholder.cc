#include "runtime/sandbox/placeholder.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <string_view>
#include <utility>

#include "runtime/sandbox/paths.h"

namespace gibbous {
namespace {

constexpr std::string_view kText = ".\n";
// By these, a placeholder that was left behind is known. The sticky bit keeps no program from using
// the directory.
constexpr mode_t kFileMode = 0444;
constexpr mode_t kDirectoryMode = 01755;
constexpr mode_t kPrivateMode = 01700;
constexpr mode_t kModeBits = 07777;
constexpr int kAttempts = 20;  // others may remove it between two steps
constexpr useconds_t kPauseMicros = 1000;

UniqueFd open_directory(const std::string& path) {
  open_how how{};
  how.flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
  how.resolve = RESOLVE_NO_SYMLINKS;
  return UniqueFd(
      static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, path.c_str(), &how, sizeof how)));
}

bool holds_text(int file) {
  std::array<char, kText.size() + 1> text{};
  const ssize_t size = ::pread(file, text.data(), text.size(), 0);
  return size >= 0 && std::string_view(text.data(), static_cast<std::size_t>(size)) == kText;
}

mode_t directory_mode(bool is_private) {
  return is_private ? kPrivateMode : kDirectoryMode;
}

// Returns true when this is what hold() makes.
bool is_placeholder(int file, bool is_directory, bool is_private) {
  struct stat info {};
  if (::fstat(file, &info) != 0 || info.st_uid != ::geteuid()) return false;
  const mode_t mode = info.st_mode & kModeBits;
  if (is_directory) return S_ISDIR(info.st_mode) && mode == directory_mode(is_private);
  return S_ISREG(info.st_mode) && mode == kFileMode && holds_text(file);
}

// Returns false when there is something, or it cannot be made.
bool make(int around, const char* name, bool is_directory, bool is_private) {
  if (is_directory) {
    constexpr mode_t kNew = 0700;
    if (::mkdirat(around, name, kNew) != 0) return false;
    // A program that may write around it may have put something else there meanwhile.
    const UniqueFd made(
        ::openat(around, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat info {};
    return made && ::fstat(made.get(), &info) == 0 && info.st_uid == ::geteuid() &&
           (info.st_mode & S_IRWXO) == 0 && ::fchmod(made.get(), directory_mode(is_private)) == 0;
  }
  // Complete before it has its name: who reads it must not find it empty.
  UniqueFd file(::openat(around, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, kFileMode));
  const bool unnamed = static_cast<bool>(file);
  const std::string draft = std::string(name) + ".gibbous-" + std::to_string(::getpid());
  if (!unnamed) {  // some file systems have no such files
    constexpr int kNew = O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC;
    file.reset(::openat(around, draft.c_str(), kNew, kFileMode));
  }
  if (!file) return false;
  const bool complete =
      ::write(file.get(), kText.data(), kText.size()) == static_cast<ssize_t>(kText.size()) &&
      ::fchmod(file.get(), kFileMode) == 0;
  if (unnamed) {
    const std::string self = "/proc/self/fd/" + std::to_string(file.get());
    return complete && ::linkat(AT_FDCWD, self.c_str(), around, name, AT_SYMLINK_FOLLOW) == 0;
  }
  if (complete && ::renameat2(around, draft.c_str(), around, name, RENAME_NOREPLACE) == 0) {
    return true;
  }
  const int error = errno;
  (void)::unlinkat(around, draft.c_str(), 0);
  errno = error;
  return false;
}

bool is_at(int file, int around, const char* name) {
  struct stat held {};
  struct stat there {};
  return ::fstat(file, &held) == 0 && ::fstatat(around, name, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
         held.st_ino == there.st_ino && held.st_dev == there.st_dev;
}

}  // namespace

Placeholder Placeholder::hold(const std::string& path, bool is_private) {
  Placeholder made;
  const std::string whole = without_slash(path);
  made.is_private_ = is_private;
  made.is_directory_ = is_private || path.ends_with('/');
  made.name_ = whole.substr(whole.rfind('/') + 1);
  made.around_ = open_directory(parent_of(whole));
  if (!made.around_) return {};
  const int around = made.around_.get();
  const char* name = made.name_.c_str();
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    UniqueFd file(::openat(around, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!file && errno != ENOENT) return {};
    if (!file) {
      if (!make(around, name, made.is_directory_, is_private) && errno != EEXIST) return {};
      continue;
    }
    if (!is_placeholder(file.get(), made.is_directory_, is_private)) return {};
    // A process that removes it has locked it alone.
    if (::flock(file.get(), LOCK_SH | LOCK_NB) != 0 || !is_at(file.get(), around, name)) {
      ::usleep(kPauseMicros);
      continue;
    }
    made.held_ = std::move(file);
    return made;
  }
  return {};
}

Placeholder::~Placeholder() {
  release();
}

Placeholder& Placeholder::operator=(Placeholder&& other) noexcept {
  release();
  std::swap(around_, other.around_);
  std::swap(name_, other.name_);
  std::swap(is_directory_, other.is_directory_);
  std::swap(is_private_, other.is_private_);
  std::swap(held_, other.held_);
  return *this;
}

bool Placeholder::is_same(const Placeholder& other) const {
  struct stat one {};
  struct stat two {};
  return held_ && other.held_ && ::fstat(held_.get(), &one) == 0 &&
         ::fstat(other.held_.get(), &two) == 0 && one.st_ino == two.st_ino &&
         one.st_dev == two.st_dev;
}

void Placeholder::release() {
  if (!held_) return;
  const bool last = ::flock(held_.get(), LOCK_EX | LOCK_NB) == 0;
  // What was written there since is no placeholder.
  if (last && is_placeholder(held_.get(), is_directory_, is_private_) &&
      is_at(held_.get(), around_.get(), name_.c_str())) {
    (void)::unlinkat(around_.get(), name_.c_str(), is_directory_ ? AT_REMOVEDIR : 0);
  }
  held_.reset();
}

}  // namespace gibbous
