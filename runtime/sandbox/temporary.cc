#include "runtime/sandbox/temporary.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <ctime>
#include <map>
#include <utility>

#include "runtime/base/listing.h"
#include "runtime/base/path_text.h"
#include "runtime/base/random_id.h"
#include "runtime/sandbox/socket_directory.h"
#include "runtime/sandbox/temporary_base.h"

namespace gibbous {
namespace {

struct Kind {
  std::string_view target;
  std::string_view around;  // its group's directory is below here
  const char* name;         // of what is mounted, in that
  mode_t mode;
};
constexpr mode_t kListed = 0755;
// The first one has the lock of the group.
constexpr std::array<Kind, 4> kKinds = {{{"/tmp", "/tmp", "files", kForAll},
                                         {"/var/tmp", "/var/tmp", "files", kForAll},
                                         {"/dev/shm", "/dev/shm", "files", kForAll},
                                         {"/run/user", "/tmp", "run", kListed}}};
constexpr std::string_view kRuntimeTarget = "/run/user";
constexpr std::array<const char*, 2> kSockets = {"sockets", "inner"};  // the second: of sandboxes
constexpr int kLockAttempts = 100;
constexpr useconds_t kLockPauseMicros = 1000;

std::string group_in(const Kind& kind, const std::string& group) {
  return base_in(kind.around) + "/" + group;
}

std::string source_of(const Kind& kind, const std::string& group) {
  return group_in(kind, group) + "/" + kind.name;
}

bool ends_name(char letter) {
  return static_cast<unsigned char>(letter) <= ' ' ||
         std::string_view("'\"`;|&<>()$*?[]{}:,\\").find(letter) != std::string_view::npos;
}

bool continues_name(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' || letter == '.' ||
         letter == '-' || letter == '~';
}

void add_named(std::string_view text, const std::string& directory, std::size_t& budget,
               std::vector<std::string>& found) {
  const std::string prefix = directory + "/";
  for (std::size_t at = text.find(prefix); at != std::string_view::npos && budget > 0;) {
    --budget;
    const char before = at == 0 ? ' ' : text[at - 1];
    std::size_t end = at + prefix.size();
    if (!continues_name(before)) {
      if (before == '\'' || before == '"') {
        end = std::min(text.find(before, end), text.size());
      } else {
        while (end < text.size() && !ends_name(text[end])) ++end;
      }
      if (end - at < PATH_MAX) {
        std::string path = normalize_path(text.substr(at, end - at));
        const bool usable = path.find('\0') == std::string::npos && path.starts_with(prefix);
        if (usable && std::find(found.begin(), found.end(), path) == found.end()) {
          found.push_back(std::move(path));
        }
      }
    }
    at = text.find(prefix, end);
  }
}

std::string link_text(const std::string& path) {
  std::array<char, PATH_MAX> text{};
  const ssize_t size = ::readlink(path.c_str(), text.data(), text.size());
  return size < 0 ? "" : std::string(text.data(), static_cast<std::size_t>(size));
}

// How many runs of this process hold a link.
std::map<std::string, int>& links_in_use() {
  static std::map<std::string, int> links;
  return links;
}

}  // namespace

bool is_temporary_group(std::string_view group) {
  return !group.empty() && group.size() <= kMaxTemporaryGroupBytes &&
         std::all_of(group.begin(), group.end(), [](unsigned char letter) {
           return std::isalnum(letter) != 0 || letter == '-';
         });
}

std::optional<std::string> temporary_path(const std::string& group, const std::string& path) {
  const std::string normal = normalize_path(path);
  for (const Kind& kind : kKinds) {
    if (!is_within(normal, kind.target)) continue;
    if (is_within(normal, base_in(kind.around))) return std::nullopt;
    return source_of(kind, group) + normal.substr(kind.target.size());
  }
  return std::nullopt;
}

UniqueFd open_temporary(const std::string& group, const std::string& path) {
  const std::string normal = normalize_path(path);
  for (const Kind& kind : kKinds) {
    if (!is_within(normal, kind.target)) continue;
    const UniqueFd base = open_base(kind.around);
    const UniqueFd files =
        open_below(base.get(), (group + "/" + kind.name).c_str(), O_PATH | O_DIRECTORY);
    const std::string rest = normal.size() > kind.target.size() + 1
                                 ? normal.substr(kind.target.size() + 1)
                                 : std::string(".");
    return open_below(files.get(), rest.c_str(), O_PATH | O_NOFOLLOW);
  }
  return {};
}

bool has_temporary(const std::string& group, const std::string& path) {
  return static_cast<bool>(open_temporary(group, path));
}

bool names_temporary(std::string_view text) {
  return std::any_of(kKinds.begin(), kKinds.end(), [&](const Kind& kind) {
    return text.find(kind.target) != std::string_view::npos;
  });
}

std::vector<std::string> named_below(std::string_view text,
                                     const std::vector<std::string>& directories,
                                     std::size_t& budget) {
  std::vector<std::string> found;
  for (const std::string& directory : directories) add_named(text, directory, budget, found);
  return found;
}

std::string socket_directory(const std::string& group, bool sandboxed) {
  return group_in(kKinds[0], group) + "/" + kSockets[sandboxed ? 1 : 0];
}

bool is_temporary_base(std::string_view path) {
  const std::string name = "/gibbous-" + std::to_string(::geteuid());
  return std::any_of(kKinds.begin(), kKinds.end(), [&](const Kind& kind) {
    const std::string base = std::string(kind.around) + name;
    if (!path.starts_with(base)) return false;
    std::string_view rest = path.substr(base.size());
    if (rest.size() > 1 && rest[0] == '-' && std::isdigit(static_cast<unsigned char>(rest[1])) != 0)
      rest.remove_prefix(2);
    return rest.empty() || rest[0] == '/';
  });
}

TemporaryHold& TemporaryHold::operator=(TemporaryHold&& other) noexcept {
  let_go();
  mount_points_ = std::move(other.mount_points_);
  points_ = std::exchange(other.points_, {});
  links_ = std::exchange(other.links_, {});
  copies_ = std::exchange(other.copies_, {});
  lock_ = std::move(other.lock_);
  group_ = std::move(other.group_);
  return *this;
}

bool TemporaryHold::add_mount_point(const std::string& source, const std::string& path,
                                    bool is_directory) {
  std::vector<Placeholder> made;
  std::vector<std::string> names;
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
    names.push_back(name);
    if (last) break;
  }
  note_points(std::move(names));
  std::move(made.begin(), made.end(), std::back_inserter(mount_points_));
  return true;
}

bool TemporaryHold::clear_way(const std::string& source, const std::string& path) {
  for (std::size_t slash = source.size(); slash != std::string::npos;) {
    slash = path.find('/', slash + 1);
    const std::string name = path.substr(0, slash);
    struct stat info {};
    if (::lstat(name.c_str(), &info) != 0) return false;
    if (S_ISDIR(info.st_mode) && info.st_uid == ::geteuid()) continue;
    return ::rename(name.c_str(), (name + std::string(kAside) + random_id()).c_str()) == 0;
  }
  return false;
}

void TemporaryHold::add_link(const std::string& path, const std::string& target) {
  if (::symlink(target.c_str(), path.c_str()) != 0 && link_text(path) != target) return;
  ++links_in_use()[path];
  links_.push_back({path, target});
}

void TemporaryHold::note_points(std::vector<std::string> names) {
  for (std::string& name : names) {
    ++group_->mount_points()[name];
    points_.push_back(std::move(name));
  }
}

void TemporaryHold::let_go_of_points() {
  for (const std::string& point : points_) {
    const auto found = group_->mount_points().find(point);
    if (found != group_->mount_points().end() && --found->second == 0) {
      group_->mount_points().erase(found);
    }
  }
  points_.clear();
}

void TemporaryHold::leave() {
  let_go_of_points();
  for (Placeholder& point : mount_points_) point.leave();
  mount_points_.clear();
  links_.clear();
  if (group_) group_->leave();
  group_.reset();
}

void TemporaryHold::let_go() {
  for (const Link& link : links_) {
    if (--links_in_use()[link.path] > 0) continue;
    links_in_use().erase(link.path);
    if (link_text(link.path) == link.target) (void)::unlink(link.path.c_str());
  }
  links_.clear();
  mount_points_.clear();
  let_go_of_points();
  if (group_ && !copies_.trees.empty()) move_copies_away(copies_.directory, group_->name());
  copies_ = {};
  lock_.reset();
  group_.reset();
}

TemporaryGroup::~TemporaryGroup() {
  if (!lock_) return;
  note_use();
  if (name_.empty() || ::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0) return;
  for (auto made = made_.rbegin(); made != made_.rend(); ++made) {
    const UniqueFd& files = directories_[made->first].fd;
    const std::size_t slash = made->second.rfind('/');
    const std::string around = slash == std::string::npos ? "." : made->second.substr(0, slash);
    const UniqueFd above = open_below(files.get(), around.c_str(), O_PATH | O_DIRECTORY);
    if (above) (void)::unlinkat(above.get(), made->second.c_str() + slash + 1, AT_REMOVEDIR);
  }
  if (const UniqueFd base = open_base(kLayersAround)) (void)move_layers_away(base.get(), name_);
  for (const char* const sockets : kSockets) remove_tree(lock_.get(), sockets);
  // Nothing that a run has left.
  const std::string of_user = "/" + std::to_string(::geteuid());
  (void)::rmdir((source_of(kKinds.back(), name_) + of_user).c_str());
  for (const Kind& kind : kKinds) (void)::rmdir(source_of(kind, name_).c_str());
  for (const Kind& kind : kKinds) (void)::rmdir(group_in(kind, name_).c_str());
  // Without the lock, for which the next keeper of the group does not wait that long.
  lock_.reset();
  remove_moved_layers(name_);
}

void TemporaryGroup::note_made(std::size_t directory, std::string path) {
  constexpr std::size_t kMostNoted = 64;
  if (made_.size() < kMostNoted) made_.emplace_back(directory, std::move(path));
}

void TemporaryGroup::note_use() const {
  (void)::futimens(lock_.get(), nullptr);
}

bool TemporaryGroup::is_there() const {
  struct stat own {};
  if (lock_ && (::fstat(lock_.get(), &own) != 0 || own.st_nlink == 0)) return false;
  return std::all_of(directories_.begin(), directories_.end(), [](const auto& directory) {
    struct stat info {};
    // A run may have changed what it is.
    return ::fstat(directory.fd.get(), &info) == 0 && info.st_nlink > 0 &&
           (info.st_mode & kForAll) == directory.mode && info.st_uid == ::geteuid();
  });
}

namespace {

enum class Made : std::uint8_t { kYes, kNoPlace, kFailed };

// kNoPlace: the machine's directory is not for this user. Fails with errno.
Made make_one(const Kind& kind, const std::string& group, UniqueFd* lock, bool with_files) {
  const UniqueFd around(
      ::open(std::string(kind.around).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!around) return Made::kNoPlace;
  const std::string base = base_in(kind.around);
  const char* const name = base.c_str() + kind.around.size() + 1;
  const UniqueFd mine = own_directory(around.get(), name, kForUser, false);
  if (!mine) return errno == EROFS || errno == EACCES ? Made::kNoPlace : Made::kFailed;
  for (int attempt = 0; attempt < kLockAttempts; ++attempt) {
    UniqueFd own = own_directory(mine.get(), group.c_str(), kForUser, true);
    if (!own) return Made::kFailed;
    // A process that removes the group has locked it alone, and moves it away at once.
    struct stat info {};
    if (lock != nullptr &&
        (::flock(own.get(), LOCK_SH | LOCK_NB) != 0 || ::fstat(own.get(), &info) != 0 ||
         info.st_nlink == 0 || !open_below(mine.get(), group.c_str(), O_PATH | O_DIRECTORY))) {
      ::usleep(kLockPauseMicros);
      continue;
    }
    const UniqueFd files =
        with_files ? own_directory(own.get(), kind.name, kind.mode, true) : UniqueFd();
    if (with_files && !files) return Made::kFailed;
    if (with_files && kind.target == kRuntimeTarget &&
        !own_directory(files.get(), std::to_string(::geteuid()).c_str(), kForUser, true)) {
      return Made::kFailed;
    }
    if (lock != nullptr) *lock = std::move(own);
    return Made::kYes;
  }
  errno = EBUSY;
  return Made::kFailed;
}

}  // namespace

Result<std::shared_ptr<TemporaryGroup>> TemporaryGroup::make(const std::string& name) {
  std::shared_ptr<TemporaryGroup> made(new TemporaryGroup(name));
  if (Status status = made->make_all(); !status) return status;
  return made;
}

Result<std::shared_ptr<TemporaryGroup>> TemporaryGroup::make_beside(const std::string& name) {
  std::shared_ptr<TemporaryGroup> made(new TemporaryGroup(name));
  if (make_one(kKinds[0], name, &made->lock_, false) != Made::kYes) {
    return Status::error("sandbox_unavailable", "temporary: " + group_in(kKinds[0], name));
  }
  made->note_use();
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
    const Made made = make_one(kind, name_, first ? &lock_ : nullptr, true);
    const int error = errno;
    const std::string source = source_of(kind, name_);
    if (made == Made::kNoPlace) {
      failed_.push_back(std::string(kind.target) +
                        " is that of the whole machine: nothing can be "
                        "made there");
      continue;
    }
    auto there = resolve_path(source, "temporary");
    if (!there) return there.status();
    if (made == Made::kFailed || !*there) {
      return Status::error(
          "sandbox_unavailable",
          "temporary: " + source + ": " + std::strerror(made == Made::kFailed ? error : ENOENT));
    }
    directories_.push_back({(*target)->path, std::move((*there)->path), std::move((*there)->fd),
                            kind.mode, kind.target == kRuntimeTarget});
  }
  if (lock_) note_use();
  return {};
}

std::shared_ptr<TemporaryGroup> TemporaryGroups::find(const std::string& name) {
  const auto found = std::find_if(kept_.begin(), kept_.end(),
                                  [&](const auto& group) { return group->name() == name; });
  if (found != kept_.end() && (*found)->is_there()) {
    std::rotate(found, found + 1, kept_.end());
    kept_.back()->note_use();
    return kept_.back();
  }
  if (found != kept_.end()) kept_.erase(found);
  return nullptr;
}

Result<std::shared_ptr<TemporaryGroup>> TemporaryGroups::get(const std::string& name) {
  const std::shared_ptr<TemporaryGroup> found = find(name);
  if (!found) return keep(TemporaryGroup::make(name));
  if (found->directories().empty()) {
    if (Status status = found->make_all(); !status) return status;
  }
  return found;
}

Result<std::shared_ptr<TemporaryGroup>> TemporaryGroups::get_beside(const std::string& name) {
  const std::shared_ptr<TemporaryGroup> found = find(name);
  return found ? found : keep(TemporaryGroup::make_beside(name));
}

Result<std::shared_ptr<TemporaryGroup>> TemporaryGroups::keep(
    Result<std::shared_ptr<TemporaryGroup>> made) {
  constexpr std::size_t kMostKept = 8;
  if (!made) return made;
  kept_.push_back(*made);
  if (kept_.size() > kMostKept) kept_.erase(kept_.begin());
  return made;
}

std::shared_ptr<TemporaryGroup> make_sockets(TemporaryGroups& groups, std::string_view directory) {
  const std::string base = base_in(kKinds[0].around) + "/";
  if (!directory.starts_with(base)) return nullptr;
  const std::string name(
      directory.substr(base.size(), directory.find('/', base.size()) - base.size()));
  const auto* const sockets = std::find_if(kSockets.begin(), kSockets.end(), [&](const char* each) {
    return directory == base + name + "/" + each;
  });
  if (sockets == kSockets.end() || !is_temporary_group(name)) return nullptr;
  auto group = groups.get_beside(name);
  // By its path, because a run may have moved it: tmux then takes the machine's directory.
  if (!group) return nullptr;
  const UniqueFd around = open_base(kKinds[0].around);
  const UniqueFd own = own_directory(around.get(), name.c_str(), kForUser, true);
  return own_directory(own.get(), *sockets, kForUser, true) ? *group : nullptr;
}

// A name that a keeper gave to something of a group, and could not take away. Its group is locked
// while a keeper uses it.
static void remove_old_links(std::string_view around) {
  Listing listing{std::string(around)};
  const std::string base = base_in(around) + "/";
  while (const dirent* const entry = listing.next()) {
    if (entry->d_type != DT_LNK) continue;
    const std::string path = std::string(around) + "/" + entry->d_name;
    const std::string text = link_text(path);
    if (!text.starts_with(base)) continue;
    const std::string group = text.substr(0, text.find('/', base.size()));
    const UniqueFd own(::open(group.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!own || ::flock(own.get(), LOCK_EX | LOCK_NB) == 0) (void)::unlink(path.c_str());
  }
}

// A run that comes meanwhile makes another one.
static void remove_group(int base, const std::string& name) {
  const std::string aside = name.substr(0, name.find(kAside)) + std::string(kAside) + random_id();
  if (::renameat(base, name.c_str(), base, aside.c_str()) == 0) {
    remove_tree(base, aside.c_str());
  }
}

void remove_old_temporary(std::chrono::seconds age) {
  const UniqueFd locks = open_base(kKinds[0].around);
  for (const Kind& kind : kKinds) {
    if (kind.target == kRuntimeTarget) continue;
    remove_old_links(kind.around);
    const UniqueFd base = open_base(kind.around);
    if (!base) continue;
    const std::string prefix = base_in(kind.around) + "/";
    for (const std::string& path : children_of(prefix.substr(0, prefix.size() - 1))) {
      const std::string name = path.substr(prefix.size());
      const std::string group = name.substr(0, name.find(kAside));
      // The lock says when the group was used; where it is gone, its directory does.
      UniqueFd used = open_below(locks.get(), group.c_str(), O_RDONLY | O_DIRECTORY);
      const bool moved = group.size() != name.size();
      if (kind.around == kLayersAround && !moved) remove_old_layers(base.get(), locks, name);
      if (!used || moved) used = open_below(base.get(), name.c_str(), O_RDONLY | O_DIRECTORY);
      struct stat info {};
      const bool old = used && ::fstat(used.get(), &info) == 0 &&
                       (moved || ::time(nullptr) - info.st_mtim.tv_sec > age.count());
      if (!old || ::flock(used.get(), LOCK_EX | LOCK_NB) != 0) continue;
      for (const Kind& each : kKinds) {
        const UniqueFd there = open_base(each.around);
        if (there && (!moved || each.around == kind.around)) remove_group(there.get(), name);
      }
    }
  }
}

}  // namespace gibbous
