// O_APPEND and one write per record: records of several processes never mix. Only rotation takes a
// lock, and a process that finds it taken writes on; the record is then in a file that has just
// been renamed, which is just as good.
#include "runtime/audit/decision_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "runtime/base/state_file.h"

namespace gibbous {
namespace {

constexpr const char* kLogName = "decisions.jsonl";
constexpr const char* kLogLockName = "decisions.lock";
constexpr int kOneLockTry = 1;

std::string rotated_name(std::uint32_t number) {
  std::string name = kLogName;
  if (number != 0) name.append(".").append(std::to_string(number));
  return name;
}

bool same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

}  // namespace

std::string DecisionLog::path() const {
  return options_.directory + "/" + kLogName;
}

Status DecisionLog::failed(const std::string& what, const std::string& why) const {
  return Status::error("unavailable", what + " " + path() + ": " + why);
}

Status DecisionLog::append(std::string_view record) {
  if (Status status = open_when_needed(); !status) return status;
  std::string line;
  line.reserve(record.size() + 2);
  // End a half-written record; readers skip it, and it follows again whole.
  if (torn_) line += '\n';
  line.append(record).append(1, '\n');
  const WithoutSizeSignal guard;
  ssize_t written = 0;
  do {
    written = ::write(file_.get(), line.data(), line.size());
  } while (written < 0 && errno == EINTR);
  if (written == static_cast<ssize_t>(line.size())) {
    torn_ = false;
    return {};
  }
  const std::string why = written < 0 ? std::strerror(errno) : "only a part of it was taken";
  file_.reset();  // the next open checks how it ends
  return failed("cannot write to", why);
}

// Other processes may have renamed or removed the file, which is then opened again.
Status DecisionLog::open_when_needed() {
  struct stat named {};
  struct stat held {};
  const bool there = ::lstat(path().c_str(), &named) == 0;
  if (there && file_ && ::fstat(file_.get(), &held) == 0 && same_file(named, held) &&
      static_cast<std::uint64_t>(held.st_size) < options_.max_bytes) {
    return {};
  }
  file_.reset();
  Result<UniqueFd> directory = open_state_directory(options_.directory, true);
  if (!directory) return failed("cannot open", directory.status().message());
  if (there && static_cast<std::uint64_t>(named.st_size) >= options_.max_bytes &&
      objection_to(named) == nullptr) {
    if (Status status = rotate(*directory); !status) return status;
  }
  // Check before opening, because opening may affect a device, and again afterwards, to be certain.
  if (::fstatat(directory->get(), kLogName, &named, AT_SYMLINK_NOFOLLOW) == 0) {
    if (const char* why = objection_to(named)) return failed("cannot open", why);
  }
  UniqueFd file(
      ::openat(directory->get(), kLogName,
               O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC,
               kStateFileMode));
  if (!file || ::fstat(file.get(), &held) != 0) return failed("cannot open", std::strerror(errno));
  if (const char* why = objection_to(held)) return failed("cannot open", why);
  char last = '\n';
  if (held.st_size > 0) (void)::pread(file.get(), &last, 1, held.st_size - 1);
  torn_ = last != '\n';
  file_ = std::move(file);
  return {};
}

Status DecisionLog::rotate(const UniqueFd& directory) {
  const Result<StateLock> lock = StateLock::take(directory, kLogLockName, kOneLockTry);
  if (!lock) {
    // Another process is rotating.
    if (lock.status().code() == "state_busy") return {};
    return failed("cannot rotate", lock.status().message());
  }
  struct stat named {};
  if (::fstatat(directory.get(), kLogName, &named, AT_SYMLINK_NOFOLLOW) != 0 ||
      static_cast<std::uint64_t>(named.st_size) < options_.max_bytes) {
    return {};  // another process has rotated meanwhile
  }
  return rename_all(directory);
}

// The renames can be repeated from the beginning after any failure: a name that has moved is not
// there.
Status DecisionLog::rename_all(const UniqueFd& directory) {
  if (options_.files <= 1 && ::unlinkat(directory.get(), kLogName, 0) != 0 && errno != ENOENT) {
    return failed("cannot rotate", std::strerror(errno));
  }
  for (std::uint32_t number = options_.files; number-- > 1;) {
    if (::renameat(directory.get(), rotated_name(number - 1).c_str(), directory.get(),
                   rotated_name(number).c_str()) != 0 &&
        errno != ENOENT) {
      return failed("cannot rotate", std::strerror(errno));
    }
  }
  return {};
}

}  // namespace gibbous
