#include "bindings/lua/source/snapshot.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "runtime/base/sha256.h"
#include "runtime/base/unique_fd.h"
#include "runtime/paths/in_time.h"

namespace gibbous::lua {
namespace {

constexpr int kMaxReadAttempts = 4;
constexpr std::int64_t kNanosPerSecond = 1'000'000'000;
constexpr char kUnreadable[] = "unreadable";
constexpr std::chrono::milliseconds kReadPatience{2'000};
// File systems that note each change in nanoseconds, those through a mapping included.
constexpr std::uint32_t kExactSystems[] = {EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC, BTRFS_SUPER_MAGIC,
                                           F2FS_SUPER_MAGIC};

Status load_failed(const std::string& message) {
  return Status::error("load_failed", message);
}

bool is_missing(int error) {
  return error == ENOENT || error == ENOTDIR;
}

Status read_all(int fd, std::size_t expected, std::string* text) {
  text->resize(std::min(expected, kMaxSourceBytes) + 1);
  std::size_t size = 0;
  while (size <= kMaxSourceBytes) {
    // The file has grown since its size was read.
    if (size == text->size()) text->resize(std::min(size * 2, kMaxSourceBytes + 1));
    const ssize_t got = ::read(fd, text->data() + size, text->size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return load_failed(std::string("cannot be read: ") + std::strerror(errno));
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  if (size > kMaxSourceBytes) {
    return load_failed("is larger than " + std::to_string(kMaxSourceBytes) + " bytes");
  }
  text->resize(size);
  return {};
}

}  // namespace

FileState FileState::of(const struct stat& info) {
  FileState state;
  state.device = info.st_dev;
  state.inode = info.st_ino;
  state.size = info.st_size;
  state.modified_ns = std::int64_t{info.st_mtim.tv_sec} * kNanosPerSecond + info.st_mtim.tv_nsec;
  state.changed_ns = std::int64_t{info.st_ctim.tv_sec} * kNanosPerSecond + info.st_ctim.tv_nsec;
  return state;
}

struct Snapshot::Read {
  std::string text;
  FileStamp stamp;
  Status status;
};

FileStamp FileStamp::of(const struct stat& info) {
  FileStamp stamp;
  stamp.exists = true;
  stamp.device = info.st_dev;
  stamp.inode = info.st_ino;
  stamp.size = info.st_size;
  stamp.changed_ns = std::int64_t{info.st_mtim.tv_sec} * kNanosPerSecond + info.st_mtim.tv_nsec;
  return stamp;
}

FileStamp FileStamp::of(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? of(info) : FileStamp{};
}

Status read_source(const std::string& path, std::string* text, FileStamp* stamp) {
  for (int attempt = 0; attempt < kMaxReadAttempts; ++attempt) {
    *stamp = {};
    // Non-blocking, so that a FIFO at the path of a script cannot block the loop.
    const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!file && is_missing(errno)) return text->clear(), Status();
    if (!file) return load_failed(std::string("cannot be opened: ") + std::strerror(errno));
    struct stat before {};
    if (::fstat(file.get(), &before) != 0 || !S_ISREG(before.st_mode)) {
      return load_failed("is not a regular file");
    }
    const auto expected = static_cast<std::size_t>(before.st_size);
    if (Status status = read_all(file.get(), expected, text); !status) return status;
    struct stat after {};
    *stamp = FileStamp::of(before);
    const bool unchanged = ::fstat(file.get(), &after) == 0 && FileStamp::of(after) == *stamp &&
                           static_cast<std::int64_t>(text->size()) == stamp->size;
    if (unchanged) return {};
  }
  return load_failed("kept changing while it was read");
}

Result<const SourceFile*> Snapshot::read(const std::string& path) {
  if (const auto known = by_path_.find(path); known != by_path_.end()) return known->second;
  if (by_path_.size() >= kMaxSourceFiles) {
    return load_failed("more than " + std::to_string(kMaxSourceFiles) + " files are loaded");
  }
  if (is_in_memory(path)) return read_memory(path);
  is_all_known_ = false;
  std::shared_ptr<Read> read;
  if (Status status = read_from_disk(path, &read); !status) return status;
  SourceFile file;
  file.text = std::move(read->text);
  const FileStamp& stamp = read->stamp;
  const Status& status = read->status;
  if (!status) {
    // Remembered as well: the monitor must notice when the file is mended.
    stamps_[path] = stamp_of(path);
    unreadable_.push_back(path);
    return status;
  }
  stamps_[path] = stamp;
  if (!stamp.exists) return by_path_[path] = nullptr;
  file.path = path;
  return keep(std::move(file));
}

// Fails only where nobody answers; whether the file could be read is in `read`. What an earlier
// call has left there is used again, with its memory.
Status Snapshot::read_from_disk(const std::string& path, std::shared_ptr<Read>* read) const {
  if (*read == nullptr) *read = std::make_shared<Read>();
  const auto work = [into = *read, path] {
    into->status = read_source(path, &into->text, &into->stamp);
  };
  if (reach(path, work)) return {};
  read->reset();  // the other thread may still write to it
  return Status::error("path_unanswered", "cannot be read: its file system does not answer");
}

bool Snapshot::take_known(const std::vector<KnownFile>& files) {
  std::map<std::string, FileStamp> stamps;
  std::set<std::string_view> settled;
  std::shared_ptr<Read> read;
  struct Now {
    struct stat info {};
    bool exists = false;
  };
  // One look at the mounts does for all files of a machine where each answers.
  const bool at_once = unanswered_.empty() && mounts_->now()->all_local();
  const auto is_in = [&](const FileState& state, const std::string& path) -> std::optional<bool> {
    const auto now = std::make_shared<Now>();
    const auto look = [now, path] { now->exists = ::stat(path.c_str(), &now->info) == 0; };
    if (at_once) {
      look();
    } else if (!reach(path, look)) {
      return std::nullopt;
    }
    if (!now->exists || !(FileState::of(now->info) == state)) return false;
    stamps[path] = FileStamp::of(now->info);
    return true;
  };
  for (const auto& [path, hash, state] : files) {
    if (state) {
      const std::optional<bool> same = is_in(*state, path);
      if (!same) return false;
      if (*same) {
        settled.insert(path);
        continue;
      }
    }
    if (is_in_memory(path)) {
      const Result<const SourceFile*> file = read_memory(path);
      if ((*file == nullptr ? "" : (*file)->hash) != hash) return false;
      continue;
    }
    if (!read_from_disk(path, &read) || !read->status) return false;
    if (read->stamp.exists == hash.empty()) return false;
    if (!hash.empty() && sha256_hex(read->text) != hash) return false;
    stamps[path] = read->stamp;
  }
  for (const auto& [path, hash, state] : files) {
    if (is_in_memory(path) || by_path_.count(path) > 0) continue;
    stamps_[path] = stamps.at(path);
    if (hash.empty()) {
      by_path_[path] = nullptr;
      continue;
    }
    files_.push_back({path, "", hash});
    by_path_[path] = &files_.back();
    unread_.insert(&files_.back());
    if (settled.count(path) > 0) settled_.insert(&files_.back());
  }
  return true;
}

Result<const std::string*> Snapshot::text_of(const SourceFile& file) const {
  if (unread_.count(&file) == 0) return &file.text;
  is_all_known_ = false;
  std::shared_ptr<Read> read;
  if (Status status = read_from_disk(file.path, &read); !status) return status;
  if (!read->status || !read->stamp.exists || sha256_hex(read->text) != file.hash) {
    has_changed_ = true;
    return load_failed("has changed since it was read");
  }
  for (SourceFile& each : files_) {
    if (&each == &file) each.text = std::move(read->text);
  }
  unread_.erase(&file);
  return &file.text;
}

bool Snapshot::reach(const std::string& path, std::function<void()> work) const {
  if (!unanswered_.empty()) return false;
  const auto mounts = mounts_->now();
  if (mounts->all_local()) {
    work();
    return true;
  }
  std::error_code none;
  const std::string absolute = std::filesystem::absolute(path, none).string();
  if (paths::in_time(absolute, *mounts, kReadPatience, std::move(work))) return true;
  unanswered_ = path;
  return false;
}

FileStamp Snapshot::stamp_of(const std::string& path) const {
  const auto stamp = std::make_shared<FileStamp>();
  return reach(path, [stamp, path] { *stamp = FileStamp::of(path); }) ? *stamp : FileStamp{};
}

const SourceFile* Snapshot::keep(SourceFile file) {
  file.hash = sha256_hex(file.text);
  files_.push_back(std::move(file));
  return by_path_[files_.back().path] = &files_.back();
}

const SourceFile* Snapshot::read_memory(const std::string& path) {
  for (const MemoryFiles* files : memory_) {
    const auto found = files->find(path);
    if (found != files->end()) return keep({path, std::string(found->second), ""});
  }
  return by_path_[path] = nullptr;
}

const SourceFile* Snapshot::known(const std::string& path) const {
  const auto found = by_path_.find(path);
  return found == by_path_.end() ? nullptr : found->second;
}

std::optional<std::string> Snapshot::hash_of(const std::string& path) const {
  const auto found = by_path_.find(path);
  if (found == by_path_.end()) return std::nullopt;
  return found->second == nullptr ? "" : found->second->hash;
}

void Snapshot::adopt(Snapshot&& other) {
  is_all_known_ = is_all_known_ || (by_path_.empty() && unreadable_.empty());
  settled_.merge(other.settled_);
  files_.splice(files_.end(), other.files_);
  unread_.merge(other.unread_);
  has_changed_ = has_changed_ || other.has_changed_;
  by_path_.merge(other.by_path_);
  stamps_.merge(other.stamps_);
  unreadable_.insert(unreadable_.end(), other.unreadable_.begin(), other.unreadable_.end());
}

void Snapshot::each_path(
    const std::function<void(const std::string&, const std::string&)>& each) const {
  for (const auto& [path, file] : by_path_) each(path, file == nullptr ? "" : file->hash);
}

void Snapshot::each_known(std::chrono::nanoseconds began, std::chrono::nanoseconds old_enough,
                          const std::function<void(KnownFile)>& each) const {
  for (const auto& [path, file] : by_path_) {
    KnownFile known{path, file == nullptr ? "" : file->hash};
    const auto stamp = stamps_.find(path);
    if (file != nullptr && stamp != stamps_.end()) {
      const auto state = std::make_shared<std::optional<FileState>>();
      const auto look = [=, path = path, read = stamp->second] {
        *state = settled_state(path, read, began, old_enough);
      };
      if (reach(path, look)) known.state = *state;
    }
    each(std::move(known));
  }
}

bool Snapshot::still_true() const {
  if (has_changed_) return false;
  // All of it was looked at in one go, and no text was read since.
  if (is_all_known_) return true;
  for (const auto& [path, stamp] : stamps_) {
    if (!(stamp_of(path) == stamp)) return false;
  }
  return true;
}

std::optional<FileState> settled_state(const std::string& path, const FileStamp& read,
                                       std::chrono::nanoseconds began,
                                       std::chrono::nanoseconds old_enough) {
  struct stat info {};
  struct statfs system {};
  if (::stat(path.c_str(), &info) != 0 || ::statfs(path.c_str(), &system) != 0) return std::nullopt;
  const auto* const end = std::end(kExactSystems);
  const auto type = static_cast<std::uint32_t>(system.f_type);
  const bool exact = std::find(std::begin(kExactSystems), end, type) != end;
  const FileState state = FileState::of(info);
  const std::int64_t latest = (began - old_enough).count();
  const bool old = state.changed_ns < latest && state.modified_ns < latest;
  if (!exact || !old || !(FileStamp::of(info) == read)) return std::nullopt;
  return state;
}

std::string hash_of_file(const std::string& path, std::string* text) {
  std::string read;
  FileStamp stamp;
  const Status status = read_source(path, &read, &stamp);
  if (text != nullptr) *text = read;
  if (!status) return kUnreadable;
  return stamp.exists ? sha256_hex(read) : "";
}

std::vector<MonitoredFile> Snapshot::watched() const {
  std::vector<MonitoredFile> all;
  for (const auto& [path, file] : by_path_) {
    if (is_in_memory(path)) continue;
    all.push_back({path, file == nullptr ? "" : file->hash, stamps_.at(path)});
  }
  for (const std::string& path : unreadable_) all.push_back({path, kUnreadable});
  return all;
}

}  // namespace gibbous::lua
