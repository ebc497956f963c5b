// Uses open, fstat and flock; no decision depends on a name.
#include "runtime/base/state_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace gibbous {
namespace {

constexpr mode_t kDirectoryMode = 0700;
constexpr mode_t kOthersMayWrite = 022;
constexpr long kNanosBetweenTries = 1'000'000;

Status unusable(const std::string& directory, const std::string& why) {
  return Status::error("state_dir_unusable", directory + ": " + why);
}

bool make_directories(const std::string& path) {
  for (std::size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1)) {
    (void)::mkdir(path.substr(0, at).c_str(), kDirectoryMode);
  }
  return ::mkdir(path.c_str(), kDirectoryMode) == 0 || errno == EEXIST;
}

}  // namespace

Result<UniqueFd> open_state_directory(const std::string& directory, bool make) {
  if (directory.empty()) return unusable("state directory", "there is none (HOME is not set)");
  if (make && !make_directories(directory)) return unusable(directory, std::strerror(errno));
  UniqueFd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd && errno == ENOENT) {
    return Status::error("state_dir_missing", directory + ": " + std::strerror(ENOENT));
  }
  struct stat status {};
  if (!fd || ::fstat(fd.get(), &status) != 0) return unusable(directory, std::strerror(errno));
  if (status.st_uid != ::geteuid() || (status.st_mode & kOthersMayWrite) != 0) {
    return unusable(directory, "must belong to this user, and no other user may write to it");
  }
  return fd;
}

const char* objection_to(const struct stat& file) {
  if (S_ISLNK(file.st_mode)) return "it is a symbolic link";
  if (!S_ISREG(file.st_mode)) return "it is not a regular file";
  if (file.st_uid != ::geteuid()) return "it belongs to another user";
  if ((file.st_mode & kOthersMayWrite) != 0) return "others may write to it (chmod 600 mends that)";
  if (file.st_nlink > 1) return "it has another name too (a hard link)";
  return nullptr;
}

std::optional<std::string> read_whole(const UniqueFd& file, std::size_t most) {
  constexpr std::size_t kPiece = std::size_t{64} << 10;
  std::string text;
  for (std::size_t size = 0; size <= most;) {
    text.resize(std::min(size + kPiece, most + 1));
    const ssize_t count =
        ::pread(file.get(), text.data() + size, text.size() - size, static_cast<off_t>(size));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return std::nullopt;
    size += static_cast<std::size_t>(count);
    if (count > 0) continue;
    text.resize(size);
    break;
  }
  return text;
}

bool write_whole(const UniqueFd& file, std::string_view text) {
  const WithoutSizeSignal guard;
  while (!text.empty()) {
    const ssize_t count = ::write(file.get(), text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

Result<StateLock> StateLock::take(const UniqueFd& directory, const std::string& name, int tries) {
  UniqueFd file(::openat(directory.get(), name.c_str(),
                         O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC,
                         kStateFileMode));
  if (!file) {
    return Status::error("state_file_unusable",
                         "cannot open " + name + ": " + std::strerror(errno));
  }
  struct stat status {};
  if (::fstat(file.get(), &status) != 0 || objection_to(status) != nullptr) {
    const char* why = objection_to(status);
    return Status::error("state_file_unusable",
                         name + ": " + (why == nullptr ? std::strerror(errno) : why));
  }
  while (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) {
      return Status::error("state_file_unusable",
                           "cannot lock " + name + ": " + std::strerror(errno));
    }
    if (--tries <= 0) {
      return Status::error("state_busy", name + " is held by another process; try again");
    }
    const timespec pause{0, kNanosBetweenTries};
    ::nanosleep(&pause, nullptr);
  }
  return StateLock(std::move(file));
}

WithoutSizeSignal::WithoutSizeSignal() {
  sigset_t pending;
  sigpending(&pending);
  was_pending_ = sigismember(&pending, SIGXFSZ) == 1;
  sigemptyset(&size_signal_);
  sigaddset(&size_signal_, SIGXFSZ);
  pthread_sigmask(SIG_BLOCK, &size_signal_, &old_mask_);
}

WithoutSizeSignal::~WithoutSizeSignal() {
  const int error = errno;
  const timespec at_once{};
  while (!was_pending_ && sigtimedwait(&size_signal_, nullptr, &at_once) < 0 && errno == EINTR) {
  }
  pthread_sigmask(SIG_SETMASK, &old_mask_, nullptr);
  errno = error;
}

}  // namespace gibbous
