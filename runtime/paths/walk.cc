#include "runtime/paths/walk.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <optional>
#include <string_view>
#include <utility>

#include "runtime/base/path_text.h"
#include "runtime/paths/mount_types.h"

namespace gibbous::paths {
namespace {

constexpr int kMaxLinks = 40;  // the kernel's own limit

UniqueFd open_at(int directory, const char* name, std::uint64_t flags, std::uint64_t resolve) {
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC | flags;
  how.resolve = resolve;
  return UniqueFd(static_cast<int>(::syscall(SYS_openat2, directory, name, &how, sizeof(how))));
}

// Returns true if a component of the path is "..".
bool has_parents(std::string_view path) {
  for (std::size_t at = path.find("/.."); at != std::string_view::npos;
       at = path.find("/..", at + 1)) {
    if (at + 3 == path.size() || path[at + 3] == '/') return true;
  }
  return false;
}

class Walk {
 public:
  explicit Walk(const MountTable* mounts)
      : mounts_(mounts == nullptr || mounts->all_local() ? nullptr : mounts) {}

  Walked run(const std::string& absolute) {
    if (absolute.empty() || absolute.size() >= PATH_MAX) return missing(absolute, ENAMETOOLONG);
    const auto plain = look_plain(absolute);
    // "new/../link": once something makes "new", the link behind it counts.
    const bool may_go_on = plain == Reached::kMissing && has_parents(absolute);
    if (plain && !may_go_on) {
      return {*plain, normalize_path(absolute), errno_, mount_};
    }
    directory_ = UniqueFd(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!enter()) return stop(absolute);
    return go(absolute);
  }

 private:
  // The existing part of most paths has no links, which one system call confirms. The kernel
  // resolves from left to right, so it reports a link before a missing component.
  std::optional<Reached> look_plain(const std::string& path) {
    const std::uint64_t cached = mounts_ != nullptr ? RESOLVE_CACHED : 0;
    directory_ = open_at(AT_FDCWD, path.c_str(), 0, RESOLVE_NO_SYMLINKS | cached);
    if (directory_) {
      if (mounts_ != nullptr) enter();
      errno_ = 0;
      return Reached::kFound;
    }
    errno_ = errno;
    if (errno_ == ENOENT || errno_ == ENOTDIR) return Reached::kMissing;
    return std::nullopt;
  }

  Walked go(std::string rest) {
    int links = 0;
    while (!rest.empty()) {
      const std::size_t begin = rest.find_first_not_of('/');
      if (begin == std::string::npos) break;
      const std::size_t end = std::min(rest.find('/', begin), rest.size());
      const std::string name = rest.substr(begin, end - begin);
      rest.erase(0, end);
      if (name == ".") continue;
      UniqueFd next = look_up(name);
      if (!next && passes_missing(name, &rest)) continue;
      if (!next) return stop(real_ + "/" + name + rest);  // nothing below it exists
      if (name == "..") {
        real_.resize(real_.empty() ? 0 : real_.rfind('/'));
        directory_ = std::move(next);
        if (!enter()) return stop(real_ + rest);
        continue;
      }
      const std::uint64_t above = mount_;
      std::swap(directory_, next);
      if (!enter()) return stop(real_ + "/" + name + rest);
      if (!is_link_) {
        real_ += "/" + name;
        continue;
      }
      if (!is_local()) return doubtful(real_ + "/" + name + rest);
      std::array<char, PATH_MAX> target{};
      const ssize_t size = ::readlinkat(directory_.get(), "", target.data(), target.size());
      if (size <= 0 || ++links > kMaxLinks) return missing(real_ + "/" + name + rest, ELOOP);
      std::swap(directory_, next);
      mount_ = above;
      const std::string to(target.data(), static_cast<std::size_t>(size));
      if (to[0] == '/') {
        real_.clear();
        directory_ = UniqueFd(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
        if (!enter()) return stop(to + rest);
      }
      rest = to + rest;
      if (rest.size() > std::size_t{2} * PATH_MAX) return missing(real_ + "/" + rest, ENAMETOOLONG);
    }
    const std::string real = real_.empty() ? "/" : real_;
    if (passed_ != 0) return missing(real, passed_);
    return {Reached::kFound, real, 0, mounts_ == nullptr ? 0 : mount_};
  }

  // What does not exist counts as a directory if the path leaves it again by "..". Returns true if
  // it does; `rest` is then what follows that "..".
  bool passes_missing(const std::string& name, std::string* rest) {
    if (errno_ != ENOENT && errno_ != ENOTDIR) return false;
    const bool leaves_file = name == "..";
    std::size_t at = 0;
    for (int deep = leaves_file ? 0 : 1; deep > 0;) {
      const std::size_t begin = rest->find_first_not_of('/', at);
      if (begin == std::string::npos) return false;
      at = std::min(rest->find('/', begin), rest->size());
      const std::string_view each = std::string_view(*rest).substr(begin, at - begin);
      deep += each == ".." ? -1 : each == "." ? 0 : 1;
    }
    passed_ = errno_;
    rest->erase(0, at);
    if (!leaves_file) return true;
    real_.resize(real_.empty() ? 0 : real_.rfind('/'));
    directory_ =
        UniqueFd(::open(real_.empty() ? "/" : real_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    return enter();
  }

  static Walked missing(const std::string& path, int error) {
    return {Reached::kMissing, normalize_path(path), error, 0};
  }

  Walked doubtful(const std::string& path) const {
    return {Reached::kDoubtful, normalize_path(path), 0, mount_};
  }

  Walked stop(const std::string& path) const {
    return errno_ == EAGAIN ? doubtful(path) : missing(path, errno_);
  }

  bool is_local() const { return mounts_ == nullptr || mounts_->is_local(mount_); }

  // With EAGAIN in errno_: the mount would have to be asked.
  UniqueFd look_up(const std::string& name) {
    UniqueFd found =
        is_local()
            ? UniqueFd(::openat(directory_.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC))
            : open_at(directory_.get(), name.c_str(), O_NOFOLLOW, RESOLVE_CACHED);
    errno_ = errno;
    // An older kernel, or a filter of system calls, knows no answers from memory.
    const bool unsupported = errno_ == EINVAL || errno_ == ENOSYS || errno_ == EPERM;
    if (!found && !is_local() && unsupported) errno_ = EAGAIN;
    return found;
  }

  // Looks at what directory_ is, in this kernel's memory.
  bool enter() {
    if (!directory_) {
      errno_ = errno;
      return false;
    }
    struct statx info {};
    if (::statx(directory_.get(), "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE | STATX_MNT_ID,
                &info) == 0) {
      is_link_ = S_ISLNK(info.stx_mode);
      mount_ = info.stx_mnt_id;
      return true;
    }
    // A filter of system calls may refuse it; fstat(2) would ask the file system.
    errno_ = EAGAIN;
    struct stat file {};
    if (mounts_ != nullptr || ::fstat(directory_.get(), &file) != 0) return false;
    is_link_ = S_ISLNK(file.st_mode);
    return true;
  }

  const MountTable* mounts_;  // null: wait for each
  UniqueFd directory_;        // what real_ leads to
  std::string real_;          // "" is the root
  std::uint64_t mount_ = 0;   // of directory_
  bool is_link_ = false;      // directory_ is one
  int errno_ = 0;
  int passed_ = 0;  // why a part of the path does not exist that it leaves again
};

}  // namespace

Walked walk(const std::string& absolute, const MountTable* mounts) {
  return Walk(mounts).run(absolute);
}

bool answers_at_once(const std::string& absolute) {
  return answers_at_once(absolute, *MountTypes::of_process()->now());
}

bool answers_at_once(const std::string& absolute, const MountTable& mounts) {
  if (mounts.all_local()) return true;
  const Walked walked = walk(absolute, &mounts);
  return walked.reached == Reached::kMissing ||
         (walked.reached == Reached::kFound && mounts.is_local(walked.mount));
}

std::string real_path(const std::string& absolute) {
  return walk(absolute, nullptr).real;
}

}  // namespace gibbous::paths
