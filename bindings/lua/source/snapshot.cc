#include "bindings/lua/source/snapshot.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <tuple>
#include <utility>

#include "runtime/base/unique_fd.h"
#include "runtime/paths/in_time.h"

namespace gibbous::lua {
namespace {

constexpr int kMaxReadAttempts = 4;
constexpr std::int64_t kNanosPerSecond = 1'000'000'000;
constexpr char kUnreadable[] = "unreadable";
constexpr std::chrono::milliseconds kReadPatience{2'000};

// Tells whether a file has changed, and nothing else.
std::string hash_of(std::string_view text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  std::array<char, 2 * sizeof(hash) + 1> hex{};
  std::snprintf(hex.data(), hex.size(), "%016llx%016llx",
                static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  return hex.data();
}

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
  const auto read = std::make_shared<Read>();
  const auto work = [read, path] { read->status = read_source(path, &read->text, &read->stamp); };
  if (!reach(path, work)) {
    return Status::error("path_unanswered", "cannot be read: its file system does not answer");
  }
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
  texts_.push_back(std::move(read->text));
  const SourceFile* file = keep(path, texts_.back());
  if (!file->code.empty()) texts_.pop_back();
  return file;
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

const SourceFile* Snapshot::keep(const std::string& path, std::string_view text) {
  SourceFile file{path, text, hash_of(text), {}};
  if (compiled_ != nullptr) {
    const auto found = compiled_->find(text);
    if (found != compiled_->end()) std::tie(file.text, file.code) = *found;
  }
  files_.push_back(std::move(file));
  return by_path_[files_.back().path] = &files_.back();
}

const SourceFile* Snapshot::read_memory(const std::string& path) {
  for (const MemoryFiles* files : memory_) {
    const auto found = files->find(path);
    if (found != files->end()) return keep(path, found->second);
  }
  return by_path_[path] = nullptr;
}

std::vector<std::string> Snapshot::sources_below(const std::string& directory) const {
  const auto paths = std::make_shared<std::vector<std::string>>();
  const std::string prefix = directory + "/";
  for (const MemoryFiles* files : memory_) {
    for (auto at = files->lower_bound(prefix); at != files->end() && at->first.starts_with(prefix);
         ++at) {
      paths->push_back(at->first);
    }
  }
  if (is_in_memory(directory)) return *paths;
  const bool answered = reach(directory, [paths, directory] {
    std::error_code stops;
    for (std::filesystem::recursive_directory_iterator at(directory, stops), end;
         !stops && at != end && paths->size() < kMaxSourceFiles; at.increment(stops)) {
      if (at->path().extension() == ".lua") paths->push_back(at->path().string());
    }
    std::sort(paths->begin(), paths->end());
  });
  return answered ? *paths : std::vector<std::string>();
}

const SourceFile* Snapshot::known(const std::string& path) const {
  const auto found = by_path_.find(path);
  return found == by_path_.end() ? nullptr : found->second;
}

void Snapshot::each_path(
    const std::function<void(const std::string&, const std::string&)>& each) const {
  for (const auto& [path, file] : by_path_) each(path, file == nullptr ? "" : file->hash);
}

bool Snapshot::still_true() const {
  for (const auto& [path, stamp] : stamps_) {
    if (!(stamp_of(path) == stamp)) return false;
  }
  return true;
}

std::string hash_of_file(const std::string& path, std::string* text) {
  std::string read;
  FileStamp stamp;
  const Status status = read_source(path, &read, &stamp);
  if (text != nullptr) *text = read;
  if (!status) return kUnreadable;
  return stamp.exists ? hash_of(read) : "";
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
