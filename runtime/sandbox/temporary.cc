#include "runtime/sandbox/temporary.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <utility>

namespace gibbous {
namespace {

namespace fs = std::filesystem;

struct Kind {
  std::string_view target;
  std::string_view around;  // its group's directory is here
  const char* name;         // of what is mounted, in that
  mode_t mode;
};
constexpr mode_t kForAll = 01777;
constexpr mode_t kForUser = 0700;
constexpr mode_t kListed = 0755;
// The first one has the lock of the group.
constexpr std::array<Kind, 4> kKinds = {{{"/tmp", "/tmp", "files", kForAll},
                                         {"/var/tmp", "/var/tmp", "files", kForAll},
                                         {"/dev/shm", "/dev/shm", "files", kForAll},
                                         {"/run/user", "/tmp", "run", kListed}}};
constexpr std::string_view kRuntimeTarget = "/run/user";
constexpr std::size_t kMaxNamed = 64;
constexpr int kLockAttempts = 20;
constexpr useconds_t kLockPauseMicros = 1000;

std::string base_in(std::string_view around) {
  return std::string(around) + "/gibbous-" + std::to_string(::geteuid());
}

std::string group_in(const Kind& kind, const std::string& group) {
  return base_in(kind.around) + "/" + group;
}

std::string source_of(const Kind& kind, const std::string& group) {
  return group_in(kind, group) + "/" + kind.name;
}

std::string error_text(const std::string& path, int error) {
  return path + ": " + std::strerror(error);
}

// Opens a directory of this user's, which is made where there is none; unset, with errno.
UniqueFd own_directory(int around, const char* name, mode_t mode) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    UniqueFd directory(::openat(around, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct stat info {};
    if (directory && ::fstat(directory.get(), &info) == 0) {
      if (info.st_uid == ::geteuid()) {
        if ((info.st_mode & kForAll) == mode || ::fchmod(directory.get(), mode) == 0) {
          return directory;
        }
      }
      errno = EPERM;
      return {};
    }
    if (errno == ENOTDIR || errno == ELOOP) errno = EPERM;
    if (errno != ENOENT || attempt > 0) return {};
    if (::mkdirat(around, name, kForUser) != 0 && errno != EEXIST) return {};
  }
  return {};
}

bool ends_name(char letter) {
  return static_cast<unsigned char>(letter) <= ' ' ||
         std::string_view("'\"`;|&<>()$*?[]{}:,\\").find(letter) != std::string_view::npos;
}

bool continues_name(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' || letter == '.' ||
         letter == '-' || letter == '~';
}

void add_named(std::string_view text, const std::string& directory,
               std::vector<std::string>& found) {
  const std::string prefix = directory + "/";
  for (std::size_t at = text.find(prefix); at != std::string_view::npos && found.size() < kMaxNamed;
       at = text.find(prefix, at + prefix.size())) {
    const char before = at == 0 ? ' ' : text[at - 1];
    if (continues_name(before)) continue;
    std::size_t end = at + prefix.size();
    if (before == '\'' || before == '"') {
      end = std::min(text.find(before, end), text.size());
    } else {
      while (end < text.size() && !ends_name(text[end])) ++end;
    }
    std::string path = fs::path(text.substr(at, end - at)).lexically_normal().string();
    while (path.size() > 1 && path.back() == '/') path.pop_back();
    if (path.find('\0') != std::string::npos || !path.starts_with(prefix)) continue;
    if (std::find(found.begin(), found.end(), path) == found.end()) found.push_back(path);
  }
}

// Returns true when nothing but what make() makes was there, and it is gone.
void remove_if_empty(const Kind& kind, const std::string& group) {
  const std::string source = source_of(kind, group);
  if (kind.target == kRuntimeTarget) {
    (void)::rmdir((source + "/" + std::to_string(::geteuid())).c_str());
  }
  (void)::rmdir(source.c_str());
}

}  // namespace

bool is_temporary_group(std::string_view group) {
  return !group.empty() && group.size() <= kMaxTemporaryGroupBytes &&
         std::all_of(group.begin(), group.end(), [](unsigned char letter) {
           return std::isalnum(letter) != 0 || letter == '-';
         });
}

std::optional<std::string> temporary_path(const std::string& group, const std::string& path) {
  for (const Kind& kind : kKinds) {
    if (!is_within(path, kind.target)) continue;
    if (is_within(path, base_in(kind.around))) return std::nullopt;
    return source_of(kind, group) + path.substr(kind.target.size());
  }
  return std::nullopt;
}

bool has_temporary(const std::string& group, const std::string& path) {
  const auto inside = temporary_path(group, path);
  if (!inside) return false;
  open_how how{};
  how.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC;
  how.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV | RESOLVE_BENEATH;
  // Beneath what is this user's own.
  const std::size_t around = inside->find(group);
  const UniqueFd own(
      ::open(inside->substr(0, around).c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!own) return false;
  const UniqueFd found(static_cast<int>(
      ::syscall(SYS_openat2, own.get(), inside->c_str() + around, &how, sizeof how)));
  return static_cast<bool>(found);
}

bool names_temporary(std::string_view text) {
  return std::any_of(kKinds.begin(), kKinds.end(), [&](const Kind& kind) {
    return text.find(kind.target) != std::string_view::npos;
  });
}

std::vector<std::string> named_below(std::string_view text,
                                     const std::vector<std::string>& directories) {
  std::vector<std::string> found;
  for (const std::string& directory : directories) add_named(text, directory, found);
  return found;
}

TemporaryHold& TemporaryHold::operator=(TemporaryHold&& other) noexcept {
  let_go();
  mount_points_ = std::move(other.mount_points_);
  links_ = std::exchange(other.links_, {});
  group_ = std::move(other.group_);
  return *this;
}

bool TemporaryHold::add_mount_point(const std::string& source, const std::string& path,
                                    bool is_directory) {
  std::vector<Placeholder> made;
  std::size_t slash = source.size();
  while (true) {
    slash = path.find('/', slash + 1);
    const bool last = slash == std::string::npos;
    const std::string name = path.substr(0, slash);
    struct stat info {};
    const bool is_there = ::lstat(name.c_str(), &info) == 0;
    Placeholder held = Placeholder::hold(last && !is_directory ? name : name + "/");
    // Everything on the way may be the group's own; what is at the end may not.
    if (!held && (last || !is_there || !S_ISDIR(info.st_mode))) return false;
    if (held) made.insert(made.begin(), std::move(held));
    if (last) break;
  }
  std::move(made.begin(), made.end(), std::back_inserter(mount_points_));
  return true;
}

void TemporaryHold::add_link(const std::string& path, const std::string& target) {
  if (::symlink(target.c_str(), path.c_str()) == 0) links_.push_back({path, target});
}

void TemporaryHold::leave() {
  for (Placeholder& point : mount_points_) point.leave();
  mount_points_.clear();
  links_.clear();
  if (group_) group_->leave();
  group_.reset();
}

void TemporaryHold::let_go() {
  for (const Link& link : links_) {
    std::array<char, kMaxSandboxPathBytes> text{};
    const ssize_t size = ::readlink(link.path.c_str(), text.data(), text.size());
    const bool is_ours =
        size >= 0 && std::string_view(text.data(), static_cast<std::size_t>(size)) == link.target;
    if (is_ours) (void)::unlink(link.path.c_str());
  }
  links_.clear();
  mount_points_.clear();
  group_.reset();
}

TemporaryGroup::~TemporaryGroup() {
  if (!lock_ || name_.empty() || ::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0) return;
  for (const Kind& kind : kKinds) remove_if_empty(kind, name_);
  for (const Kind& kind : kKinds) (void)::rmdir(group_in(kind, name_).c_str());
}

bool TemporaryGroup::is_there() const {
  return std::all_of(directories_.begin(), directories_.end(), [](const auto& directory) {
    struct stat info {};
    return ::fstat(directory.fd.get(), &info) == 0 && info.st_nlink > 0;
  });
}

// Fails with EPERM for what belongs to somebody else.
static int make_one(const Kind& kind, const std::string& group, UniqueFd* lock) {
  const UniqueFd around(
      ::open(std::string(kind.around).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!around) return errno;
  const std::string base = base_in(kind.around);
  const UniqueFd mine =
      own_directory(around.get(), base.c_str() + kind.around.size() + 1, kForUser);
  if (!mine) return errno;
  for (int attempt = 0; attempt < kLockAttempts; ++attempt) {
    UniqueFd own = own_directory(mine.get(), group.c_str(), kForUser);
    if (!own) return errno;
    // Whoever removes the group has locked it alone.
    struct stat info {};
    if (lock != nullptr && (::flock(own.get(), LOCK_SH | LOCK_NB) != 0 ||
                            ::fstat(own.get(), &info) != 0 || info.st_nlink == 0)) {
      ::usleep(kLockPauseMicros);
      continue;
    }
    const UniqueFd files = own_directory(own.get(), kind.name, kind.mode);
    if (!files) return errno;
    if (kind.target == kRuntimeTarget &&
        !own_directory(files.get(), std::to_string(::geteuid()).c_str(), kForUser)) {
      return errno;
    }
    // Says when it was last used.
    if (lock != nullptr) {
      (void)::futimens(own.get(), nullptr);
      *lock = std::move(own);
    }
    return 0;
  }
  return EBUSY;
}

Result<std::shared_ptr<TemporaryGroup>> TemporaryGroup::make(const std::string& name) {
  std::shared_ptr<TemporaryGroup> made(new TemporaryGroup(name));
  if (Status status = made->make_all(); !status) return status;
  return made;
}

Status TemporaryGroup::make_all() {
  for (const Kind& kind : kKinds) {
    auto target = resolve_path(std::string(kind.target), "temporary");
    if (!target) return target.status();
    if (!*target || !(*target)->is_directory()) continue;
    const bool known =
        std::any_of(directories_.begin(), directories_.end(),
                    [&](const auto& directory) { return directory.target == (*target)->path; });
    if (known) continue;
    const bool first = &kind == kKinds.data();
    const int error = make_one(kind, name_, first ? &lock_ : nullptr);
    const std::string source = source_of(kind, name_);
    if (error == EPERM) {
      return Status::error("sandbox_unavailable",
                           "temporary: " + source +
                               " is not this user's own directory: remove what is in its place");
    }
    std::optional<ResolvedPath> there;
    if (error == 0) {
      auto resolved = resolve_path(source, "temporary");
      if (!resolved) return resolved.status();
      there = std::move(*resolved);
    }
    if (!there) {
      failed_.push_back(std::string(kind.target) + " is that of the whole machine: " +
                        error_text(source, error != 0 ? error : ENOENT));
      continue;
    }
    directories_.push_back({(*target)->path, std::move(there->path), std::move(there->fd),
                            kind.target == kRuntimeTarget});
  }
  return {};
}

Result<std::shared_ptr<TemporaryGroup>> TemporaryGroups::get(const std::string& name) {
  constexpr std::size_t kMostKept = 8;
  const auto found = std::find_if(kept_.begin(), kept_.end(),
                                  [&](const auto& group) { return group->name() == name; });
  if (found != kept_.end() && (*found)->failed().empty() && (*found)->is_there()) {
    std::rotate(found, found + 1, kept_.end());
    return kept_.back();
  }
  if (found != kept_.end()) kept_.erase(found);
  auto made = TemporaryGroup::make(name);
  if (!made) return made;
  kept_.push_back(*made);
  if (kept_.size() > kMostKept) kept_.erase(kept_.begin());
  return made;
}

void remove_old_temporary(std::chrono::seconds age) {
  const UniqueFd base(
      ::open(base_in(kKinds[0].around).c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat info {};
  if (!base || ::fstat(base.get(), &info) != 0 || info.st_uid != ::geteuid()) return;
  for (const std::string& path : children_of(base_in(kKinds[0].around))) {
    const UniqueFd own(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    const bool old = own && ::fstat(own.get(), &info) == 0 &&
                     ::time(nullptr) - info.st_mtim.tv_sec > age.count();
    if (!old || ::flock(own.get(), LOCK_EX | LOCK_NB) != 0) continue;
    const std::string group = path.substr(path.rfind('/') + 1);
    std::error_code error;
    for (const Kind& kind : kKinds) fs::remove_all(group_in(kind, group), error);
  }
}

}  // namespace gibbous
