// A directory's change time tells of every name that comes, goes or is replaced in it, and no
// program in a sandbox can set it. Where that is not so, a path is looked up at each start.
#include "runtime/sandbox/lookups.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <memory>
#include <string_view>

#include "runtime/base/listing.h"
#include "runtime/base/mounts.h"
#include "runtime/paths/mount_types.h"

namespace gibbous {
namespace {

// File systems that keep the time of a directory's last change, and that only this machine changes.
constexpr std::array<std::string_view, 14> kTelling = {
    "bcachefs", "btrfs",   "devtmpfs", "erofs",  "ext2",     "ext3",  "ext4",
    "f2fs",     "overlay", "ramfs",    "rootfs", "squashfs", "tmpfs", "xfs"};

constexpr std::size_t kMostKept = 8192;
constexpr std::int64_t kSecondNs = 1'000'000'000;

constexpr std::size_t kMostNames = 4096;  // in a directory that is listed
constexpr std::string_view kCertificate = ".pem";
constexpr std::size_t kKeyHeadBytes = std::size_t{64} << 10;

std::int64_t now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * kSecondNs + now.tv_nsec;
}

bool matches_one(const char* name, std::string_view patterns) {
  for (std::size_t at = 0; at < patterns.size();) {
    const std::size_t end = std::min(patterns.find('/', at), patterns.size());
    const std::string pattern(patterns.substr(at, end - at));
    if (::fnmatch(pattern.c_str(), name, FNM_NOESCAPE | FNM_CASEFOLD) == 0) return true;
    at = end + 1;
  }
  return false;
}

// A certificate is no secret. What cannot be read may hold a key.
bool may_hold_key(int directory, const char* name) {
  const UniqueFd file(::openat(directory, name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat info {};
  if (!file || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) return true;
  std::string text(kKeyHeadBytes, '\0');
  const ssize_t size = ::read(file.get(), text.data(), text.size());
  return size < 0 || static_cast<std::size_t>(size) == text.size() ||
         text.find("PRIVATE KEY-----") != std::string::npos;
}

}  // namespace

bool Lookups::Found::link_is_within(std::span<const ResolvedPath> trees) const {
  return std::any_of(links_are_in.begin(), links_are_in.end(),
                     [&](const std::string& each) { return is_within_any(each, trees); });
}

void Lookups::begin(const paths::MountTable* mounts) {
  ++round_;
  status_ = {};
  const std::uint64_t fingerprint = mounts == nullptr ? 0 : mounts->fingerprint();
  if (fingerprint != 0 && fingerprint == mounts_ && kept_.size() <= kMostKept) return;
  mounts_ = fingerprint;
  telling_.clear();
  remote_.clear();
  kept_.clear();
  listed_.clear();
  directories_.clear();
  if (mounts == nullptr) return;
  for (const Mount& mount : mounts->mounts()) {
    if (std::find(kTelling.begin(), kTelling.end(), mount.type) != kTelling.end()) {
      telling_.insert(mount.id);
    }
    if (!mounts->is_local(mount.id)) remote_.insert(mount.id);
  }
}

Lookups::Directory& Lookups::look(const std::string& path) {
  Directory& directory = directories_[path];
  if (directory.round == round_) return directory;
  directory.round = round_;
  struct statx info {};
  constexpr unsigned kWanted = STATX_INO | STATX_CTIME | STATX_MNT_ID;
  Directory now;
  if (::statx(AT_FDCWD, path.c_str(), AT_NO_AUTOMOUNT, kWanted, &info) == 0) {
    now.device_major = info.stx_dev_major;
    now.device_minor = info.stx_dev_minor;
    now.inode = info.stx_ino;
    now.changed_ns = info.stx_ctime.tv_sec * kSecondNs + info.stx_ctime.tv_nsec;
    now.mount = info.stx_mnt_id;
    now.tells_changes = (info.stx_mask & kWanted) == kWanted && telling_.contains(info.stx_mnt_id);
  }
  const bool same = now.device_major == directory.device_major &&
                    now.device_minor == directory.device_minor && now.inode == directory.inode &&
                    now.changed_ns == directory.changed_ns;
  now.round = round_;
  now.version = directory.version + (same ? 0 : 1);
  directory = now;
  return directory;
}

bool Lookups::is_current(const Kept& kept) {
  if (kept.round == round_) return true;
  return kept.lasts && std::all_of(kept.way.begin(), kept.way.end(), [&](const auto& each) {
           return look(*each.first).version == each.second;
         });
}

const Lookups::Found& Lookups::find(const std::string& asked, const char* field) {
  const auto known = kept_.find(asked);
  if (known != kept_.end() && is_current(known->second)) {
    known->second.round = round_;
    return known->second.found;
  }
  Kept made;
  ++made_;
  made.round = round_;
  made.lasts = true;
  const std::int64_t settled = now_ns() - settled_.count();
  const auto enter = [&](const std::string& path) {
    const std::string& directory = path.empty() ? "/" : path;
    const Directory& seen = look(directory);
    if (seen.inode == 0) return;  // the one above tells when it comes
    made.found.nearest = directory;
    made.lasts = made.lasts && seen.tells_changes && seen.changed_ns <= settled;
    made.way.emplace_back(&directories_.find(directory)->first, seen.version);
  };
  made.found.way = follow_links(asked, enter, [&](const std::string& directory) {
    made.found.links_are_in.push_back(directory);
  });
  auto resolved = resolve_path(asked, field);
  made.lasts = made.lasts && resolved.ok();
  if (!resolved && status_) status_ = resolved.status();
  if (resolved.ok() && *resolved) static_cast<KnownPath&>(made.found) = std::move(**resolved);
  made.found.asked = without_slash(asked);
  return (kept_[asked] = std::move(made)).found;
}

const Lookups::Names& Lookups::names_in(const std::string& directory, const std::string& patterns) {
  Listed& listed = listed_[directory + "//" + patterns];
  const Directory& now = look(directory);
  if (listed.round == round_ || (listed.version != 0 && listed.version == now.version)) {
    return listed.names;
  }
  const bool lasts = now.tells_changes && now.changed_ns <= now_ns() - settled_.count();
  listed = {{}, round_, lasts ? now.version : 0};
  Names& found = listed.names;
  if (now.inode == 0) return found;
  // What is looked up by name is asked wherever it is; a tree of names is not.
  found.exists = remote_.contains(now.mount);
  if (found.exists) return found;
  Listing listing(directory);
  found.exists = static_cast<bool>(listing);
  std::size_t count = 0;
  while (const dirent* const entry = listing.next()) {
    if (++count > kMostNames) return found;
    if (!matches_one(entry->d_name, patterns)) continue;
    const bool certificate = std::string_view(entry->d_name).ends_with(kCertificate);
    if (certificate && !may_hold_key(listing.fd(), entry->d_name)) continue;
    found.paths.push_back(directory + "/" + entry->d_name);
  }
  found.complete = true;
  return found;
}

}  // namespace gibbous
