// A group's room is DIRECTORY/NUMBER/HASH/{upper,work}, where the hash is that of the target's
// path, DIRECTORY/NUMBER/HASH/stand for the directory around what does not exist, and
// DIRECTORY/own/HASH for that itself. What DIRECTORY/NUMBER/HASH/hidden-HASH has is not seen
// beneath.
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

std::string room_of(const std::string& around, const std::string& path) {
  return around + "/" + layer_name(path);
}

bool is_directory(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

// The first name on the way to `path` that does not exist, or the path.
std::string first_missing(const std::string& path, const std::string& around) {
  std::size_t end = around.size();
  struct stat info {};
  do {
    end = std::min(path.find('/', end + 1), path.size());
  } while (end < path.size() && ::lstat(path.substr(0, end).c_str(), &info) == 0);
  return path.substr(0, end);
}

// Makes a directory that, as a layer over `target`, takes these names away: each is a device
// without a number. Returns "" when there can be none.
std::string make_hiding(const std::string& room, const std::string& target,
                        std::span<const std::string> names) {
  std::string all;
  for (const std::string& name : names) all += name + '\n';
  std::string made = room_of(room, all).insert(room.size() + 1, "hidden-");
  if (is_directory(made)) return made;
  const std::string unfinished = made + ".new";
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
  return done ? made : "";
}

// Removes what says that a layer was not written to the disk: without that, it serves once.
void forget_unwritten(const std::string& work) {
  const std::string inner = work + "/work", noted = inner + "/incompat/volatile";
  for (const std::string& each : {inner, parent_of(noted), noted}) {
    if (::chmod(each.c_str(), kRoomMode) != 0) break;  // nobody may enter it
  }
  for (const std::string& each : {noted + "/dirty", noted, parent_of(noted)}) {
    (void)::remove(each.c_str());
  }
}

// A directory's names, with the text of those that are links.
struct Name {
  mode_t type = 0;
  std::string link;
  bool operator==(const Name& other) const {
    // All but directories and links is mounted on a file.
    const auto kind = [](mode_t mode) { return S_ISDIR(mode) || S_ISLNK(mode) ? mode : S_IFREG; };
    return kind(type) == kind(other.type) && link == other.link;
  }
};
using Names = std::map<std::string, Name>;

std::optional<Names> names_in(const std::string& directory) {
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::opendir(directory.c_str()), &::closedir);
  if (!stream) return std::nullopt;
  Names names;
  while (const dirent* const entry = ::readdir(stream.get())) {
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (names.size() == kMostStandNames) return std::nullopt;
    Name made{static_cast<mode_t>(DTTOIF(entry->d_type)), ""};
    struct stat info {};
    if (entry->d_type == DT_UNKNOWN) {
      if (::fstatat(::dirfd(stream.get()), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
      made.type = info.st_mode & S_IFMT;
    }
    if (made.type == S_IFLNK) {
      std::string text(PATH_MAX, '\0');
      const ssize_t size =
          ::readlinkat(::dirfd(stream.get()), name.c_str(), text.data(), text.size());
      if (size < 0) continue;
      made.link = text.substr(0, static_cast<std::size_t>(size));
    }
    names.emplace(name, std::move(made));
  }
  return names;
}

bool make_name(const std::string& path, const Name& name) {
  if (S_ISLNK(name.type)) return ::symlink(name.link.c_str(), path.c_str()) == 0;
  if (S_ISDIR(name.type)) return ::mkdir(path.c_str(), kRoomMode) == 0;
  const UniqueFd file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
  return static_cast<bool>(file);
}

// Removes what an earlier stand had: directories in one another, which hold nothing else.
void remove_name(const std::string& path) {
  if (::unlink(path.c_str()) == 0) return;
  for (const std::string& child : children_of(path)) remove_name(child);
  (void)::rmdir(path.c_str());
}

// Gives a directory these names and no others.
bool make_same(const std::string& directory, const Names& wanted) {
  const auto there = names_in(directory);
  if (!there) return false;
  for (const auto& [name, is] : *there) {
    const auto found = wanted.find(name);
    if (found == wanted.end() || !(found->second == is)) remove_name(directory + "/" + name);
  }
  return std::all_of(wanted.begin(), wanted.end(), [&](const auto& each) {
    const auto found = there->find(each.first);
    return (found != there->end() && found->second == each.second) ||
           make_name(directory + "/" + each.first, each.second);
  });
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

Status Layers::find(const SandboxSpec& spec, Lookups& lookups, std::span<const ResolvedPath> read,
                    std::span<const ResolvedPath> write,
                    const std::function<bool(const std::string&)>& is_own, TemporaryHold& hold) {
  for (const std::string& asked : spec.layered) {
    const auto found = lookups.find(asked, "layered");
    if (!found) return found.status();
    const std::string& path = (*found)->exists ? (*found)->path : (*found)->way;
    if (is_within_any(path, write) || !is_within_any(path, read) || is_own(path)) continue;
    const auto& hidden = spec.unreadable;
    if ((*found)->exists && !(*found)->through_link() &&
        std::find(hidden.begin(), hidden.end(), asked) != hidden.end()) {
      missing_.push_back({path, "", "", {}});
      continue;
    }
    if (!(*found)->exists) {
      if (asked.ends_with('/')) continue;
      const bool led = (*found)->link_is_within(write);
      const std::string above = led ? "" : makeable_in(path);
      if (!above.empty()) missing_.push_back({path, above, "", {}});
      continue;
    }
    auto resolved = resolve_path(asked, "layered");
    if (!resolved) return resolved.status();
    if (!*resolved || !(*resolved)->is_directory() || is_led_astray(**resolved, write)) continue;
    over_.push_back(std::move(**resolved));
  }
  const auto keep_outermost = [](auto& all) {
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
    std::remove_reference_t<decltype(all)> outermost;
    for (auto& each : all) {
      if (outermost.empty() || !is_within(each.path, outermost.back().path)) {
        outermost.push_back(std::move(each));
      }
    }
    all = std::move(outermost);
  };
  keep_outermost(over_);
  std::erase_if(missing_, [this](const auto& each) { return is_within_any(each.path, over_); });
  keep_outermost(missing_);
  const bool needs_room = spec.copied || !over_.empty() || !missing_.empty();
  if (!needs_room || !have_room(spec.layer_bytes, hold)) {
    over_.clear();
    missing_.clear();
  }
  return {};
}

bool Layers::have_room(std::uint64_t limit, TemporaryHold& hold) {
  if (hold.group() == nullptr) {
    why_ = "the sandbox has no temporary directories of the session's own";
    return false;
  }
  place_ = hold.group()->take_layers();
  if (!place_) {
    why_ = "too many runs of the session have them at the same time";
    return false;
  }
  if (limit != 0 && place_->bytes >= limit) {
    writable_ = false;
    why_ = "the session has written " + in_units(place_->bytes) + " to them, and the limit is " +
           in_units(limit) + " (caches.max_bytes)";
  }
  std::erase_if(missing_, [this](Missing& each) {
    each.source = room_of(place_->own, each.path);
    if (!have_directory(place_->own) || !have_directory(each.source)) return true;
    each.fd = UniqueFd(::open(each.source.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    return !each.fd;
  });
  hold.keep(std::move(place_->lock));
  return true;
}

void Layers::add_own(std::vector<const UniqueFd*>& trees) const {
  for (const Missing& each : missing_) trees.push_back(&each.fd);
}

void Layers::lay(SandboxEntry& entry, std::span<const std::string> left_out,
                 std::span<const std::string> hidden, const Works& works) {
  lay_over(entry, hidden, works);
  std::vector<std::string> above;
  for (const Missing& each : missing_) {
    (each.above.empty() ? hidden_ : above).push_back(each.above.empty() ? each.path : each.above);
  }
  std::sort(above.begin(), above.end());
  above.erase(std::unique(above.begin(), above.end()), above.end());
  for (const std::string& directory : above) {
    if (!stand_up(entry, directory, left_out)) {
      std::erase_if(missing_, [&](const Missing& each) {
        if (each.above == directory) none_.push_back(each.path);
        return each.above == directory;
      });
    }
  }
  for (const Missing& each : missing_) entry.trees.push_back({each.source, each.path, writable_});
}

void Layers::lay_over(SandboxEntry& entry, std::span<const std::string> hidden,
                      const Works& works) {
  for (const ResolvedPath& target : over_) {
    struct stat info {};
    if (::fstat(target.fd.get(), &info) != 0 || info.st_uid != ::geteuid()) continue;
    const std::string room = room_of(place_->path, target.path);
    // A run still sees what the group has made while there was no such directory.
    const std::string earlier = room_of(place_->own, target.path);
    MountedLayer layer{target.path, {target.path}, room + "/upper", room + "/work", writable_};
    if (is_directory(earlier)) layer.lower.insert(layer.lower.begin(), earlier);
    // The layer's own mode is that of the directory that is seen.
    const bool made = have_directory(room) && have_directory(layer.upper) &&
                      have_directory(layer.work) &&
                      ::chmod(layer.upper.c_str(), info.st_mode & kPermissionBits) == 0;
    forget_unwritten(layer.work);
    if (!made || !works(layer)) {
      none_.push_back(target.path);
      continue;
    }
    forget_unwritten(layer.work);
    std::vector<std::string> absent, names;
    for (const std::string& path : hidden) {
      if (path == target.path || !is_within(path, target.path)) continue;
      absent.push_back(path);
      names.push_back(first_missing(path, target.path));
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    const std::string hiding = names.empty() ? "" : make_hiding(room, target.path, names);
    if (!hiding.empty()) {
      layer.lower.insert(layer.lower.begin(), hiding);
      hidden_.insert(hidden_.end(), absent.begin(), absent.end());
    }
    laid_.push_back(target.path);
    entry.layers.push_back(std::move(layer));
  }
  entry.layer_fds.resize(entry.layers.size());
}

bool Layers::hides(const std::string& path) const {
  const auto holds = [&path](const std::string& hidden) { return is_within(path, hidden); };
  return std::any_of(hidden_.begin(), hidden_.end(), holds);
}

bool Layers::shows(const std::string& path) const {
  return std::any_of(laid_.begin(), laid_.end(), [&path](const std::string& target) {
    return path != target && is_within(path, target);
  });
}

void Layers::copy(SandboxEntry& entry, std::span<const ResolvedPath> trees, RunCopies copies,
                  std::uint64_t limit, TemporaryHold& hold, const Works& works) {
  if (place_ && have_directory(place_->copies)) copies.directory = place_->copies;
  for (const ResolvedPath& tree : trees) {
    struct stat info {};
    if (!tree.is_directory() || ::fstat(tree.fd.get(), &info) != 0) continue;
    const std::string room = room_of(copies.directory, tree.path);
    MountedLayer layer{tree.path, {tree.path}, room + "/upper", room + "/work"};
    // A copy looks as the tree does, also to git, which asks who owns it.
    const bool made =
        !copies.directory.empty() && have_directory(room) && have_directory(layer.upper) &&
        have_directory(layer.work) &&
        (info.st_uid == ::geteuid() ||
         ::chown(layer.upper.c_str(), info.st_uid, info.st_gid) == 0 || ::geteuid() != 0) &&
        ::chmod(layer.upper.c_str(), info.st_mode & kAllModeBits) == 0;
    if (!made || !works(layer)) {
      uncopied_.push_back(tree.path);
      continue;
    }
    forget_unwritten(layer.work);
    layer.is_copy = true;
    copies.trees.push_back({tree.path, layer.upper});
    entry.layers.push_back(std::move(layer));
  }
  std::sort(entry.layers.begin(), entry.layers.end(),
            [](const auto& one, const auto& other) { return one.target < other.target; });
  entry.layer_fds.resize(entry.layers.size());
  if (copies.directory.empty()) return;
  begin_copies(copies, limit);
  hold.keep(std::move(copies));
}

// Returns false when there can be none.
bool Layers::stand_up(SandboxEntry& entry, const std::string& above,
                      std::span<const std::string> left_out) {
  auto names = names_in(above);
  struct stat info {};
  if (!names || ::lstat(above.c_str(), &info) != 0) return false;
  Stand stand{above, room_of(place_->path, above) + "/stand", {}};
  for (const auto& [name, is] : *names) {
    const bool answers =
        std::find(left_out.begin(), left_out.end(), above + "/" + name) == left_out.end();
    if (!S_ISLNK(is.type) && answers) stand.names.push_back(name);
  }
  std::vector<std::string> made;
  for (const Missing& each : missing_) {
    if (each.above != above) continue;
    made.push_back(each.path.substr(above.size() + 1));
    // Somebody may have made it just now.
    names->emplace(made.back().substr(0, made.back().find('/')), Name{S_IFDIR, ""});
  }
  if (!have_directory(room_of(place_->path, above)) || !have_directory(stand.source) ||
      ::chmod(stand.source.c_str(), info.st_mode & kPermissionBits) != 0 ||
      !make_same(stand.source, *names)) {
    return false;
  }
  for (const std::string& path : made) {
    for (std::size_t slash = path.find('/'); slash != std::string::npos;) {
      slash = path.find('/', slash + 1);
      if (!have_directory(stand.source + "/" + path.substr(0, slash))) return false;
    }
  }
  entry.stands.push_back(std::move(stand));
  return true;
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
