// A group's room is DIRECTORY/NUMBER/HASH/{upper,work}, where the hash is that of the path under
// the overlay. What DIRECTORY/hidden-HASH has is not seen beneath.
#include "runtime/sandbox/layers.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <map>
#include <memory>
#include <utility>

#include "runtime/base/random_id.h"
#include "runtime/sandbox/copies.h"
#include "runtime/sandbox/gap.h"

namespace gibbous {
namespace {

constexpr mode_t kRoomMode = 0700;
constexpr mode_t kPermissionBits = 0777;
constexpr mode_t kAllModeBits = 07777;
// Each is a mount of every run.
constexpr std::size_t kMostStandNames = 512;
constexpr std::size_t kMostSaid = 3;

bool have_directory(const std::string& path) {
  return ::mkdir(path.c_str(), kRoomMode) == 0 || errno == EEXIST;
}

bool is_directory(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

std::string room_of(const std::string& around, const std::string& path) {
  return around + "/" + layer_name(path);
}

// Makes a directory that, as a layer over `target`, takes these names away: each is a device
// without a number. Returns "" when there can be none.
std::string make_hiding(const std::string& rooms, const std::string& target,
                        std::span<const std::string> names) {
  std::string all = target + '\n';
  for (const std::string& name : names) all += name + '\n';
  std::string made = rooms + "/hidden-" + layer_name(all);
  if (is_directory(made)) return made;
  const std::string unfinished = made + "." + random_id();
  bool done = have_directory(unfinished);
  for (const std::string& name : names) {
    std::size_t slash = target.size();
    struct stat info {};
    while (done && (slash = name.find('/', slash + 1)) != std::string::npos) {
      const std::string around = unfinished + name.substr(target.size(), slash - target.size());
      done = ::lstat(name.substr(0, slash).c_str(), &info) == 0 && have_directory(around) &&
             ::chmod(around.c_str(), info.st_mode & kPermissionBits) == 0;
    }
    const std::string path = unfinished + name.substr(target.size());
    done = done && (::mknod(path.c_str(), S_IFCHR, makedev(0, 0)) == 0 || errno == EEXIST);
  }
  struct stat info {};
  done = done && ::lstat(target.c_str(), &info) == 0 &&
         ::chmod(unfinished.c_str(), info.st_mode & kPermissionBits) == 0 &&
         ::rename(unfinished.c_str(), made.c_str()) == 0;
  return done || is_directory(made) ? made : "";
}

// Removes what says that a layer was not written to the disk: without that, it serves once.
void forget_unwritten(const std::string& work) {
  const std::string inner = work + "/work", noted = inner + "/incompat/volatile";
  for (const std::string& each : {inner, parent_of(noted), noted}) {
    if (::chmod(each.c_str(), kRoomMode) != 0) break;  // no user may enter it
  }
  for (const std::string& each : {noted + "/dirty", noted, parent_of(noted)}) {
    (void)::remove(each.c_str());
  }
}

// What is mounted name by name in a stand; nothing if that is too much.
std::optional<std::vector<std::string>> names_for_stand(const std::string& directory,
                                                        std::span<const std::string> left_out) {
  std::vector<std::string> names;
  for (const std::string& child : children_of(directory)) {
    struct stat info {};
    if (is_one_of(child, left_out) || ::lstat(child.c_str(), &info) != 0 || S_ISLNK(info.st_mode)) {
      continue;
    }
    if (names.size() == kMostStandNames) return std::nullopt;
    names.push_back(child.substr(directory.size() + 1));
  }
  return names;
}

// Nothing where this user has no such directory.
std::optional<std::uint64_t> mount_of_own(const std::string& directory) {
  struct statx info {};
  if (::statx(AT_FDCWD, directory.c_str(), AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT,
              STATX_TYPE | STATX_UID | STATX_MNT_ID, &info) != 0 ||
      !S_ISDIR(info.stx_mode) || info.stx_uid != ::geteuid()) {
    return std::nullopt;
  }
  return info.stx_mnt_id;
}

std::string below(const std::string& path, const std::string& around) {
  return path.size() > around.size() ? path.substr(around.size() + 1) : "";
}

// The nearest directory above that exists and in which this user could make the path; "" for none.
std::string makeable_in(const std::string& path) {
  std::string above = parent_of(path);
  struct stat info {};
  while (above != "/" && ::lstat(above.c_str(), &info) != 0) {
    if (errno != ENOENT) return "";
    above = parent_of(above);
  }
  return above != "/" && S_ISDIR(info.st_mode) && info.st_uid == ::geteuid() ? above : "";
}

std::string some_of(const std::vector<std::string>& paths) {
  std::string said;
  for (std::size_t i = 0; i < paths.size() && i < kMostSaid; ++i) {
    said += (i == 0 ? "" : ", ") + shortened(paths[i]);
  }
  if (paths.size() > kMostSaid) said += " and " + std::to_string(paths.size() - kMostSaid);
  return said;
}

std::string in_units(std::uint64_t bytes) {
  constexpr std::uint64_t kUnit = 1024;
  std::string unit = "bytes";
  std::uint64_t tenths = bytes * 10;
  for (const char* const next : {"KiB", "MiB", "GiB"}) {
    if (tenths < kUnit * 10) break;
    tenths /= kUnit;
    unit = next;
  }
  const std::string rest = unit == "bytes" ? "" : "." + std::to_string(tenths % 10);
  return std::to_string(tenths / 10) + rest + " " + unit;
}

}  // namespace

bool MountedLayer::make_room() const {
  return have_directory(room) && have_directory(upper()) && have_directory(work());
}

void SandboxEntry::have_room_for_layers() {
  std::sort(parts.begin(), parts.end(),
            [](const LayerPart& one, const LayerPart& other) { return one.target < other.target; });
  layer_fds.resize(layers.size());
  part_fds.resize(parts.size());
}

Status Layers::find(const SandboxSpec& spec, Lookups& lookups, std::span<const ResolvedPath> read,
                    std::span<const ResolvedPath> write,
                    const std::function<bool(const std::string&)>& is_own) {
  std::vector<Target> found;
  for (const std::string& asked : spec.layered) {
    const Lookups::Found& it = lookups.find(asked, "layered");
    const std::string& path = it.place();
    if (is_within_any(path, write) || !is_within_any(path, read) || is_own(path)) continue;
    if (!it.exists()) {
      const bool made = !asked.ends_with('/') && !it.link_is_within(write);
      const std::string above = made ? makeable_in(path) : "";
      if (!above.empty()) found.push_back({path, above});
    } else if (!it.through_link() && is_one_of(asked, spec.unreadable)) {
      found.push_back({path, "", true});
    } else {
      const auto resolved = resolve_path(asked, "layered");
      if (!resolved) return resolved.status();
      if (*resolved && mount_of_own((*resolved)->path) && !is_led_astray(**resolved, write)) {
        found.push_back({(*resolved)->path, ""});
      }
    }
  }
  const bool needs_room = spec.copied || !found.empty();
  if (!needs_room || !have_room(spec.layer_bytes)) return {};
  std::sort(found.begin(), found.end(),
            [](const Target& one, const Target& other) { return one.path < other.path; });
  for (Target& each : found) {
    if (!is_within_any(each.path, targets_)) targets_.push_back(std::move(each));
  }
  return {};
}

bool Layers::have_room(std::uint64_t limit) {
  if (hold_.group() == nullptr) {
    why_ = "the sandbox has no temporary directories of the session's own";
    return false;
  }
  place_ = hold_.group()->take_layers();
  if (!place_) {
    why_ = "too many runs of the session have them at the same time";
    return false;
  }
  if (limit != 0 && place_->bytes >= limit) {
    writable_ = false;
    why_ = "the session has written " + in_units(place_->bytes) + " to them, and the limit is " +
           in_units(limit) + " (caches.max_bytes)";
  }
  hold_.keep(std::move(place_->lock));
  return true;
}

// The topmost directory that one overlay can be over: it is this user's, and one mount. In a user
// namespace, nothing can be over a directory that something is mounted in.
std::string Layers::base_of(const Target& target, std::span<const Mount> mounted) const {
  std::string base = target.above.empty() ? target.path : target.above;
  const auto mount = mount_of_own(base);
  for (std::string above = parent_of(base); mount && above != "/"; above = parent_of(base)) {
    const bool is_one = mount_of_own(above) == mount && !is_within(place_->path, above) &&
                        std::none_of(mounted.begin(), mounted.end(), [&](const Mount& each) {
                          return each.point != above && is_within(each.point, above);
                        });
    if (!is_one) break;
    base = std::move(above);
  }
  return base;
}

void Layers::lay(std::span<const Mount> mounted, std::span<const std::string> left_out,
                 std::span<const Hidden> hidden) {
  std::map<std::string, std::optional<std::vector<std::string>>> stands;
  std::map<std::string, std::vector<Target>> bases;
  for (const Target& target : targets_) {
    if (!target.above.empty()) stands.try_emplace(target.above);
  }
  for (auto& [above, names] : stands) names = names_for_stand(above, left_out);
  for (Target& target : targets_) {
    if (!target.above.empty() && !stands[target.above]) {
      drop({&target, 1});
    } else {
      bases[base_of(target, mounted)].push_back(std::move(target));
    }
  }
  for (auto& [base, targets] : bases) lay_over(base, std::move(targets), hidden);
  for (Stand& stand : entry_.stands) stand.names = std::move(*stands[stand.target]);
  std::sort(entry_.stands.begin(), entry_.stands.end(),
            [](const Stand& one, const Stand& other) { return one.target < other.target; });
  entry_.have_room_for_layers();
}

void Layers::lay_over(const std::string& base, std::vector<Target> targets,
                      std::span<const Hidden> hidden) {
  struct stat info {};
  MountedLayer layer;
  layer.room = room_of(place_->path, base);
  layer.lower = {base};
  // The layer's own mode is that of the directory that is seen.
  const bool made = ::lstat(base.c_str(), &info) == 0 && layer.make_room() &&
                    ::chmod(layer.upper().c_str(), info.st_mode & kPermissionBits) == 0;
  forget_unwritten(layer.work());
  if (!made || !works_(layer)) return drop(targets);
  forget_unwritten(layer.work());
  const std::string hiding = hide(base, targets, hidden);
  if (!hiding.empty()) layer.lower.insert(layer.lower.begin(), hiding);
  for (const Target& target : targets) {
    if (target.is_hidden && hiding.empty()) {
      drop({&target, 1});
      continue;
    }
    if (target.above.empty() && !target.is_hidden) laid_.push_back(target.path);
    if (target.is_hidden) layer.made.push_back(below(target.path, base));
    for (std::size_t end = target.above.size();
         !target.above.empty() && end != std::string::npos;) {
      end = target.path.find('/', end + 1);
      layer.made.push_back(below(target.path.substr(0, end), base));
    }
    entry_.parts.push_back(
        {target.path, below(target.path, base), entry_.layers.size(), writable_});
    const bool stands = std::any_of(entry_.stands.begin(), entry_.stands.end(),
                                    [&](const Stand& each) { return each.target == target.above; });
    if (!target.above.empty() && !stands) {
      entry_.stands.push_back({target.above, below(target.above, base), entry_.layers.size(), {}});
    }
  }
  entry_.layers.push_back(std::move(layer));
}

// Returns a layer that takes away what is hidden in the targets, or "".
std::string Layers::hide(const std::string& base, std::span<const Target> targets,
                         std::span<const Hidden> hidden) {
  std::vector<std::string> absent, names;
  for (const Target& target : targets) {
    if (target.is_hidden) {
      absent.push_back(target.path);
      names.push_back(target.path);
      continue;
    }
    if (!target.above.empty()) continue;
    for (const auto& [path, first_missing] : hidden) {
      if (path == target.path || !is_within(path, target.path)) continue;
      absent.push_back(path);
      names.push_back(first_missing);
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::string hiding = names.empty() ? "" : make_hiding(parent_of(place_->path), base, names);
  if (!hiding.empty()) hidden_.insert(hidden_.end(), absent.begin(), absent.end());
  return hiding;
}

void Layers::drop(std::span<const Target> targets) {
  for (const Target& target : targets) none_.push_back(target.path);
}

bool Layers::hides(const std::string& path) const {
  return is_within_any(path, hidden_);
}

bool Layers::shows(const std::string& path) const {
  return std::any_of(laid_.begin(), laid_.end(), [&path](const std::string& target) {
    return path != target && is_within(path, target);
  });
}

void Layers::copy(std::span<const ResolvedPath> trees, RunCopies copies, std::uint64_t limit) {
  if (place_ && have_directory(place_->copies)) copies.directory = place_->copies;
  for (const ResolvedPath& tree : trees) {
    struct stat info {};
    if (!tree.is_directory() || ::fstat(tree.fd.get(), &info) != 0) continue;
    MountedLayer layer;
    layer.room = room_of(copies.directory, tree.path);
    layer.lower = {tree.path};
    layer.is_copy = true;
    const std::string upper = layer.upper();
    // A copy looks as the tree does, also to git, which asks who owns it.
    const bool made = !copies.directory.empty() && layer.make_room() &&
                      (info.st_uid == ::geteuid() ||
                       ::chown(upper.c_str(), info.st_uid, info.st_gid) == 0 || ::geteuid() != 0) &&
                      ::chmod(upper.c_str(), info.st_mode & kAllModeBits) == 0;
    if (!made || !works_(layer)) {
      uncopied_.push_back(tree.path);
      continue;
    }
    forget_unwritten(layer.work());
    copies.trees.push_back({tree.path, upper});
    entry_.parts.push_back({tree.path, "", entry_.layers.size(), true});
    entry_.layers.push_back(std::move(layer));
  }
  entry_.have_room_for_layers();
  if (copies.directory.empty()) return;
  begin_copies(copies, limit);
  hold_.keep(std::move(copies));
}

std::string Layers::problem() const {
  if (!why_.empty()) return "caches can be read, and not changed: " + why_;
  if (none_.empty()) return "";
  return "caches that can only be read, because there can be no layer over them: " + some_of(none_);
}

std::string Layers::copies_problem() const {
  if (uncopied_.empty()) return "";
  return "can only be read, because there can be no copy: " + some_of(uncopied_) +
         (place_ || why_.empty() ? "" : " (" + why_ + ")");
}

}  // namespace gibbous
