#include "runtime/sandbox/copies.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "runtime/base/listing.h"
#include "runtime/sandbox/gap.h"
#include "runtime/sandbox/paths.h"
#include "runtime/sandbox/temporary_base.h"

namespace gibbous {
namespace {

constexpr std::size_t kMostLookedAt = 2000;
constexpr std::size_t kMostNamed = 3;
constexpr std::uint64_t kLeastFreeShare = 4;
constexpr int kLooksForMeasuring = 40;
constexpr const char* kBytes = "bytes";

std::uint64_t free_bytes(const std::string& directory) {
  struct statvfs info {};
  return ::statvfs(directory.c_str(), &info) == 0 ? std::uint64_t{info.f_bavail} * info.f_frsize
                                                  : 0;
}

// One that a program has only opened for writing is copied up as it is.
bool is_same_file(const struct stat& one, const struct stat& other) {
  return S_ISREG(one.st_mode) && one.st_mode == other.st_mode && one.st_size == other.st_size &&
         one.st_uid == other.st_uid && one.st_gid == other.st_gid &&
         one.st_mtim.tv_sec == other.st_mtim.tv_sec && one.st_mtim.tv_nsec == other.st_mtim.tv_nsec;
}

class ChangeWalk {
 public:
  // `lower`: the same directory as it is outside; -1: not there, or not to be looked at.
  void go(int around, const char* name, int lower, const std::string& path, int depth) {
    Listing listing(open_below(around, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
    if (!listing || depth == 0) return note(path);
    while (const dirent* const entry = listing.next()) {
      if (++looked_at_ > kMostLookedAt) return;
      look_at(listing.fd(), entry->d_name, lower, path + "/" + entry->d_name, depth);
    }
  }

  std::vector<std::string> take_names() { return std::move(names_); }
  bool is_complete() const { return looked_at_ <= kMostLookedAt; }

 private:
  void look_at(int around, const char* name, int lower, const std::string& path, int depth) {
    struct stat info {};
    struct stat before {};
    if (::fstatat(around, name, &info, AT_SYMLINK_NOFOLLOW) != 0) return;
    const bool was = lower >= 0 && ::fstatat(lower, name, &before, AT_SYMLINK_NOFOLLOW) == 0;
    if (!S_ISDIR(info.st_mode)) {
      if (!was || !is_same_file(info, before)) note(path);
      return;
    }
    const std::size_t known = names_.size();
    const UniqueFd beneath = was && S_ISDIR(before.st_mode)
                                 ? open_below(lower, name, O_PATH | O_DIRECTORY | O_NOFOLLOW)
                                 : UniqueFd();
    go(around, name, beneath.get(), path, depth - 1);
    if (names_.size() == known && lower >= 0 && !was && is_complete()) note(path);  // a new one
  }

  void note(const std::string& path) { names_.push_back(path); }

  std::vector<std::string> names_;
  std::size_t looked_at_ = 0;
};

}  // namespace

void begin_copies(RunCopies& copies, std::uint64_t limit) {
  copies.free_at_start = copies.free_before = free_bytes(copies.directory);
  copies.limit = copies.free_at_start / 2;
  if (limit != 0) copies.limit = std::min(copies.limit, limit);
}

std::string describe_changes(const RunCopies& copies) {
  ChangeWalk walk;
  for (const CopiedTree& tree : copies.trees) {
    constexpr int kFlags = O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    const UniqueFd upper(::open(tree.upper.c_str(), O_RDONLY | kFlags));
    const UniqueFd lower(copies.compares ? ::open(tree.target.c_str(), O_PATH | kFlags) : -1);
    if (upper) walk.go(upper.get(), ".", lower.get(), tree.target, kDeepest);
  }
  std::vector<std::string> names = walk.take_names();
  if (names.empty()) return walk.is_complete() ? "" : "changes were thrown away";
  // What programs keep for themselves says least.
  const auto hidden = [](const std::string& name) {
    return ("/" + name).find("/.") != std::string::npos;
  };
  for (std::string& name : names) {
    const std::size_t near = copies.near.size();
    if (near > 1 && name.size() > near && is_within(name, copies.near)) name.erase(0, near + 1);
  }
  std::sort(names.begin(), names.end(), [&](const std::string& one, const std::string& other) {
    return std::pair(hidden(one), std::string_view(one)) <
           std::pair(hidden(other), std::string_view(other));
  });
  std::string text =
      walk.is_complete() ? "changes were thrown away: " : "changes were thrown away: at least ";
  text += std::to_string(names.size()) + (names.size() == 1 ? " file (" : " files (");
  for (std::size_t i = 0; i < names.size() && i < kMostNamed; ++i) {
    std::replace_if(
        names[i].begin(), names[i].end(),
        [](unsigned char letter) { return letter < ' ' || letter == '\x7f'; }, '?');
    text += (i == 0 ? "" : ", ") + shortened(names[i]);
  }
  return text + (names.size() > kMostNamed ? ", ...)" : ")");
}

CopiesLook look_at_copies(RunCopies& copies) {
  const std::uint64_t free = free_bytes(copies.directory);
  const std::string note = copies.directory + "/" + kBytes;
  if (copies.looks_until_measured > 0) {
    --copies.looks_until_measured;
    const UniqueFd directory(::open(copies.directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const std::uint64_t held = directory ? noted_bytes(directory.get(), kBytes) : 0;
    if (held > copies.limit) return {false, held};
    if (held != 0) {
      (void)::unlink(note.c_str());
      copies.looks_until_measured = 0;
      copies.free_before = free + held;
    }
  }
  const std::uint64_t taken = copies.free_before > free ? copies.free_before - free : 0;
  if (taken > 0 && free < copies.free_at_start / kLeastFreeShare) return {false, taken};
  if (copies.looks_until_measured > 0 || taken <= copies.limit) return {};
  copies.looks_until_measured = kLooksForMeasuring;
  return {true, 0};
}

void note_copy_bytes(const std::string& directory) {
  const UniqueFd own(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (own) note_bytes(own.get(), ".", kBytes);
}

}  // namespace gibbous
