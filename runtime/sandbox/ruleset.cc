#include "runtime/sandbox/ruleset.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string_view>

#include "runtime/base/listing.h"
#include "runtime/base/mounts.h"
#include "runtime/paths/mount_types.h"
#include "runtime/sandbox/landlock.h"
#include "runtime/sandbox/lookups.h"

namespace gibbous {
namespace {

constexpr std::size_t kMaxKept = 4;
// A ruleset collects what each child adds to it, and grants nothing more with that.
constexpr std::size_t kMaxAdded = 256;
constexpr std::size_t kMaxChildren = 4096;
constexpr std::int64_t kNanosPerSecond = 1'000'000'000;
// File times advance in steps of up to 10 ms: a younger one may not show the next change.
constexpr std::int64_t kSettledNs = 20'000'000;
constexpr const char* kDeviceTree = "/dev";

std::int64_t nanos(const timespec& time) {
  return time.tv_sec * kNanosPerSecond + time.tv_nsec;
}

// Opening the root of such a mount asks no other machine.
bool answers_opens(const std::string& type) {
  return type.rfind("fuse", 0) == 0 || type == "virtiofs" || type == "ecryptfs";
}

std::string key_of(const Grants& grants) {
  // A mount is granted by its own root, so that other mounts are other rules.
  const std::uint64_t mounts =
      grants.mounts != nullptr ? grants.mounts->fingerprint()
                               : std::hash<std::string>()(read_small_file("/proc/self/mountinfo"));
  std::string key = std::to_string(grants.landlock_abi) + to_string(grants.network) +
                    std::to_string(mounts) + '\n';
  const auto add = [&key](const ResolvedPath& tree) {
    key += tree.path + '\0' + std::to_string(tree.device) + ':' + std::to_string(tree.inode) + '\n';
  };
  for (const auto& trees : {grants.read, grants.write}) {
    for (const ResolvedPath& tree : trees) add(tree);
    key += '\n';
  }
  for (const std::string& device : grants.devices) key += device + '\n';
  for (const auto& trees : {grants.own_write, grants.own_read}) {
    for (const UniqueFd* const tree : trees) {
      struct stat info {};
      (void)::fstat(tree->get(), &info);
      key += std::to_string(info.st_dev) + ':' + std::to_string(info.st_ino) + '\n';
    }
    key += '\n';
  }
  for (const std::string& path : grants.hidden) key += path + '\n';
  return key;
}

}  // namespace

class Rulesets::Maker {
 public:
  Maker(const Grants& grants, LandlockRuleset& ruleset, Kept& kept, Ruleset& made)
      : grants_(grants), ruleset_(ruleset), kept_(kept), made_(made) {}

  Status run() {
    find_hidden();
    for (const ResolvedPath& tree : grants_.read) {
      if (Status status = grant_read(tree); !status) return status;
    }
    if (Status status = grant_all(grants_.write, LandlockGrant::kWrite); !status) return status;
    for (const UniqueFd* const tree : grants_.own_write) {
      Status status = grant_own(*tree, LandlockGrant::kWrite);
      if (!status) return status;
    }
    for (const UniqueFd* const tree : grants_.own_read) {
      Status status = grant_own(*tree, LandlockGrant::kRead);
      if (!status) return status;
    }
    return grant_devices();
  }

 private:
  using Names = std::vector<std::string>;

  Status grant_all(std::span<const ResolvedPath> trees, LandlockGrant grant) {
    Status status;
    for (const ResolvedPath& tree : trees) {
      if (status) status = ruleset_.grant(tree.fd.get(), tree.is_directory(), grant);
    }
    return status;
  }

  Status grant_devices() {
    std::set<std::string> around;
    for (const std::string& device : grants_.devices) {
      auto resolved = resolve_path(device, "devices");
      if (!resolved) return resolved.status();
      around.insert(parent_of(device));
      if (!*resolved) continue;
      const ResolvedPath& found = **resolved;
      if (is_led_astray(found, grants_.write)) {
        return Status::error("invalid_request",
                             "devices: " + device + " leads to " + found.path +
                                 " through a link that programs inside can make");
      }
      around.insert(parent_of(found.path));
      Status status = ruleset_.grant(found.fd.get(), found.is_directory(), LandlockGrant::kDevice);
      if (!status) return status;
    }
    for (const std::string& directory : around) kept_.seen.push_back(look(directory));
    return {};
  }

  Status grant_own(const UniqueFd& tree, LandlockGrant grant) {
    struct stat info {};
    (void)::fstat(tree.get(), &info);
    return ruleset_.grant(tree.get(), S_ISDIR(info.st_mode), grant);
  }

  // Devices are left out where the root is granted: those that may be used are granted by name.
  void find_hidden() {
    hidden_ = {kDeviceTree};
    for (const std::string& asked : grants_.hidden) {
      const std::string around = parent_of(asked);
      const std::string& way = grants_.lookups->find(around, "unreadable").way;
      // A link is hidden as a name, and so is what it leads to.
      add_hidden((way == "/" ? "" : way) + asked.substr(asked.rfind('/')));
      add_hidden(grants_.lookups->find(asked, "unreadable").way);
      if (way != around) kept_.seen.push_back(look(around));
    }
    std::sort(hidden_.begin(), hidden_.end());
    hidden_.erase(std::unique(hidden_.begin(), hidden_.end()), hidden_.end());
  }

  void add_hidden(const std::string& path) {
    // What may be changed may be read; only a mount hides something there.
    if (!is_within_any(path, grants_.write)) hidden_.push_back(path);
  }

  Names inside(const std::string& tree, const Names& among) const {
    Names found;
    for (const std::string& path : among) {
      if (path != tree && is_within(path, tree)) found.push_back(path);
    }
    return found;
  }

  Status grant_read(const ResolvedPath& tree) {
    const bool is_hidden = std::any_of(hidden_.begin(), hidden_.end(), [&](const auto& path) {
      return path != kDeviceTree && is_within(tree.path, path);
    });
    if (is_hidden) return {};
    const Names within = inside(tree.path, hidden_);
    if (within.empty() || !tree.is_directory()) {
      return ruleset_.grant(tree.fd.get(), tree.is_directory(), LandlockGrant::kRead);
    }
    if (Status status = ruleset_.grant(tree.fd.get(), true, LandlockGrant::kList); !status) {
      return status;
    }
    return split(tree.fd.get(), tree.path, within);
  }

  // Grants what is in a directory, but what is hidden.
  Status split(int directory, const std::string& path, const Names& within) {
    kept_.seen.push_back(look(path));
    Listing listing(directory);
    // What cannot be listed is entered by name alone: only its owner knows what is in it.
    if (!listing) return split_unlisted(directory, path, within);
    std::vector<std::string> names;
    while (const dirent* const entry = listing.next()) {
      if (entry->d_type == DT_LNK) continue;
      if (names.size() == kMaxChildren) {
        made_.whole.push_back(path);
        return ruleset_.grant(directory, true, LandlockGrant::kRead);
      }
      names.emplace_back(entry->d_name);
    }
    Status status;
    for (const std::string& name : names) {
      if (status) status = grant_child(directory, path, name, within);
    }
    return status;
  }

  Status split_unlisted(int directory, const std::string& path, const Names& within) {
    std::set<std::string> names;
    const std::size_t from = path == "/" ? 1 : path.size() + 1;
    for (const std::string& each : within) {
      names.insert(each.substr(from, each.find('/', from) - from));
    }
    Status status;
    for (const std::string& name : names) {
      if (status) status = grant_child(directory, path, name, within);
    }
    return status;
  }

  Status grant_child(int directory, const std::string& around, const std::string& name,
                     const Names& within) {
    const std::string path = (around == "/" ? "" : around) + "/" + name;
    if (is_one_of(path, within)) return {};
    // To open what is mounted from elsewhere can take for ever. A home there has answered already.
    if (is_remote(path) && inside(path, within).empty()) {
      made_.left_out.push_back(path);
      return {};
    }
    const UniqueFd child(::openat(directory, name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    struct stat file {};
    if (!child && (errno == EMFILE || errno == ENFILE || errno == ENOMEM)) {
      return Status::error("sandbox_unavailable", "read: " + path + ": " + std::strerror(errno));
    }
    if (!child || ::fstat(child.get(), &file) != 0) return {};  // gone, or not for this user
    const bool is_directory = S_ISDIR(file.st_mode);
    const Names deeper = is_directory ? inside(path, within) : Names();
    if (!deeper.empty()) return split(child.get(), path, deeper);
    if (S_ISLNK(file.st_mode)) return {};
    // Some files cannot be granted, such as a namespace that is mounted there.
    const Status granted = ruleset_.grant(child.get(), is_directory, LandlockGrant::kRead);
    return is_directory ? granted : Status();
  }

  bool is_remote(const std::string& path) {
    if (!mounts_) {
      mounts_.emplace();
      for (const Mount& mount : own_mounts()) {
        if (paths::is_local_type(mount.type) || answers_opens(mount.type)) {
          mounts_->erase(mount.point);  // a later mount covers an earlier one
        } else {
          mounts_->insert(mount.point);
        }
      }
    }
    return mounts_->contains(path);
  }

  const Grants& grants_;
  LandlockRuleset& ruleset_;
  Kept& kept_;
  Ruleset& made_;
  Names hidden_;                                 // without symbolic links, sorted
  std::optional<std::set<std::string>> mounts_;  // of file systems that may not answer
};

Rulesets::Seen Rulesets::look(const std::string& path) {
  Seen seen;
  seen.path = path;
  struct stat directory {};
  if (::stat(path.c_str(), &directory) != 0) return seen;
  seen.device = directory.st_dev;
  seen.inode = directory.st_ino;
  seen.changed_ns = nanos(directory.st_ctim);  // programs can set the other times
  return seen;
}

bool Rulesets::is_current(const Kept& kept) {
  return kept.added < kMaxAdded &&
         std::all_of(kept.seen.begin(), kept.seen.end(), [](const Seen& before) {
           const Seen now = look(before.path);
           return now.device == before.device && now.inode == before.inode &&
                  now.changed_ns == before.changed_ns;
         });
}

Result<std::shared_ptr<const Ruleset>> Rulesets::get(const Grants& grants) {
  std::string key = key_of(grants);
  const auto found =
      std::find_if(kept_.begin(), kept_.end(), [&](const Kept& kept) { return kept.key == key; });
  if (found != kept_.end()) {
    if (is_current(*found)) {
      found->added += grants.added;
      std::rotate(found, found + 1, kept_.end());
      return kept_.back().ruleset;
    }
    kept_.erase(found);
  }
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  auto ruleset = LandlockRuleset::create(grants.landlock_abi, grants.network);
  if (!ruleset) return ruleset.status();
  Kept made{std::move(key), {}, grants.added, nullptr};
  auto result = std::make_shared<Ruleset>();
  if (Status status = Maker(grants, *ruleset, made, *result).run(); !status) return status;
  result->device_rights = ruleset->rights(LandlockGrant::kDevice);
  result->write_rights = ruleset->rights(LandlockGrant::kWrite);
  result->fd = ruleset->take();
  made.ruleset = result;
  const bool settled = std::all_of(made.seen.begin(), made.seen.end(), [&](const Seen& seen) {
    return nanos(now) - seen.changed_ns >= kSettledNs;
  });
  if (settled) kept_.push_back(std::move(made));
  if (kept_.size() > kMaxKept) kept_.erase(kept_.begin());
  return std::shared_ptr<const Ruleset>(std::move(result));
}

}  // namespace gibbous
