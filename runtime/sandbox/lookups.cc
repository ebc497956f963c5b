// A directory's change time tells of every name that comes, goes or is replaced in it, and no
// program in a sandbox can set it. Where that is not so, a path is looked up at each start.
#include "runtime/sandbox/lookups.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <string_view>

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

std::int64_t now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * kSecondNs + now.tv_nsec;
}

}  // namespace

bool Lookups::Found::link_is_within(std::span<const ResolvedPath> trees) const {
  return std::any_of(links_are_in.begin(), links_are_in.end(),
                     [&](const std::string& each) { return is_within_any(each, trees); });
}

void Lookups::begin(const paths::MountTable* mounts) {
  ++round_;
  const std::uint64_t fingerprint = mounts == nullptr ? 0 : mounts->fingerprint();
  if (fingerprint != 0 && fingerprint == mounts_ && kept_.size() <= kMostKept) return;
  mounts_ = fingerprint;
  telling_.clear();
  kept_.clear();
  directories_.clear();
  if (mounts == nullptr) return;
  for (const Mount& mount : mounts->mounts()) {
    if (std::find(kTelling.begin(), kTelling.end(), mount.type) != kTelling.end()) {
      telling_.insert(mount.id);
    }
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

Result<const Lookups::Found*> Lookups::find(const std::string& asked, const char* field) {
  const auto known = kept_.find(asked);
  if (known != kept_.end() && is_current(known->second)) {
    known->second.round = round_;
    return &known->second.found;
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
    made.lasts = made.lasts && seen.tells_changes && seen.changed_ns <= settled;
    made.way.emplace_back(&directories_.find(directory)->first, seen.version);
  };
  made.found.way = follow_links(asked, enter, [&](const std::string& directory) {
    made.found.links_are_in.push_back(directory);
  });
  auto resolved = resolve_path(asked, field);
  if (!resolved) return resolved.status();
  made.found.asked = asked;
  while (made.found.asked.size() > 1 && made.found.asked.back() == '/') made.found.asked.pop_back();
  if (*resolved) {
    made.found.exists = true;
    made.found.path = std::move((*resolved)->path);
    made.found.type = (*resolved)->type;
  }
  Kept& kept = kept_[asked];
  kept = std::move(made);
  return &kept.found;
}

}  // namespace gibbous
