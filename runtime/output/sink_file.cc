// Plain system calls below open directories. Except for the trusted directory, the kernel only gets
// paths of one component: a link that is swapped in meanwhile is refused or has no effect. Each
// rotation looks the file's directory up again, so that nothing is written to a directory that was
// moved out of the trusted one.
#include "runtime/output/sink_file.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <utility>

namespace gibbous {
namespace {

constexpr mode_t kDirectoryMode = 0700;
constexpr mode_t kFileMode = 0600;
constexpr std::size_t kSuffixBytes = sizeof ".99" - 1;  // of kMaxSinkFiles - 1
constexpr std::size_t kMaxNameBytes = NAME_MAX - kSuffixBytes;

Status invalid(const std::string& message) {
  return Status::error("invalid_arguments", message);
}

Status failed(const std::string& what, const std::string& why) {
  return Status::error("unavailable", what + ": " + why);
}

Status failed(const std::string& what, int error) {
  return failed(what, std::strerror(error));
}

std::vector<std::string> components(std::string_view path) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t slash = path.find('/');
    parts.emplace_back(path.substr(0, slash));
    if (slash == std::string_view::npos) return parts;
    path.remove_prefix(slash + 1);
  }
}

// Returns why the file must not be written to, or nullptr.
const char* objection(const struct stat& file) {
  if (S_ISLNK(file.st_mode)) return "it is a symbolic link";
  if (!S_ISREG(file.st_mode)) return "it is not a regular file";
  if (file.st_nlink > 1) return "it has another name too (a hard link)";
  return nullptr;
}

// A write beyond RLIMIT_FSIZE must not end the host: this class blocks the signal in this thread
// and consumes the one that a write caused. The write then fails with EFBIG.
class WithoutSizeSignal {
 public:
  WithoutSizeSignal() {
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGXFSZ) == 1;
    sigemptyset(&size_signal_);
    sigaddset(&size_signal_, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &size_signal_, &old_mask_);
  }
  ~WithoutSizeSignal() {
    const timespec at_once{};
    while (!was_pending_ && sigtimedwait(&size_signal_, nullptr, &at_once) < 0 && errno == EINTR) {
    }
    pthread_sigmask(SIG_SETMASK, &old_mask_, nullptr);
  }
  WithoutSizeSignal(const WithoutSizeSignal&) = delete;
  WithoutSizeSignal& operator=(const WithoutSizeSignal&) = delete;

 private:
  sigset_t size_signal_;
  sigset_t old_mask_;
  bool was_pending_ = false;
};

}  // namespace

Status check(const FileSinkSpec& spec) {
  if (spec.directory.empty() || spec.directory.front() != '/' ||
      spec.directory.find('\0') != std::string::npos) {
    return invalid("directory: expected an absolute path");
  }
  if (spec.path.empty() || spec.path.size() > kMaxSinkPathBytes ||
      spec.path.find('\0') != std::string::npos) {
    return invalid("path: expected 1 to " + std::to_string(kMaxSinkPathBytes) + " bytes, no NUL");
  }
  if (spec.path.front() == '/') {
    return invalid("path: expected a path relative to the directory, got an absolute one");
  }
  for (const std::string& part : components(spec.path)) {
    if (part.empty() || part == "." || part == "..") {
      return invalid("path: expected no empty component, no '.' and no '..', got '" + spec.path +
                     "'");
    }
    if (part.size() > kMaxNameBytes) {
      return invalid("path: expected names of at most " + std::to_string(kMaxNameBytes) + " bytes");
    }
  }
  if (spec.max_bytes < kMinSinkBytes || spec.max_bytes > kMaxSinkBytes) {
    return invalid("max_bytes: expected " + std::to_string(kMinSinkBytes) + " to " +
                   std::to_string(kMaxSinkBytes) + ", got " + std::to_string(spec.max_bytes));
  }
  if (spec.files < 1 || spec.files > kMaxSinkFiles) {
    return invalid("files: expected 1 to " + std::to_string(kMaxSinkFiles) + ", got " +
                   std::to_string(spec.files));
  }
  return {};
}

SinkFile::SinkFile(FileSinkSpec spec, bool with_openat2)
    : spec_(std::move(spec)),
      with_openat2_(with_openat2),
      directories_(components(spec_.path)),
      name_(directories_.back()),
      quota_note_("[gibbous: the limit of " + std::to_string(spec_.max_bytes) +
                  " bytes is reached: what follows is not written]\n") {
  directories_.pop_back();
}

SinkOutcome SinkFile::write(const std::vector<SinkPiece>& pieces) {
  const WithoutSizeSignal guard;
  SinkOutcome outcome;
  outcome.status = open_when_needed();
  if (outcome.status) outcome.status = write_pieces(pieces, outcome.taken);
  outcome.full = full_;
  outcome.files = files_;
  return outcome;
}

Status SinkFile::write_pieces(const std::vector<SinkPiece>& pieces, std::size_t& taken) {
  for (const SinkPiece& piece : pieces) {
    Status status =
        piece.lost > 0 ? write_note(piece.bytes, taken) : write_output(piece.bytes, taken);
    if (!status || full_) return status;
  }
  return {};
}

Status SinkFile::write_output(std::string_view bytes, std::size_t& taken) {
  while (!bytes.empty()) {
    if (room() == 0) {
      if (Status status = make_room(); !status || full_) return status;
      continue;
    }
    std::size_t written = 0;
    const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(room(), bytes.size()));
    Status status = write_all(bytes.substr(0, part), written);
    taken += written;
    bytes.remove_prefix(written);
    if (!status) return status;
  }
  return {};
}

Status SinkFile::write_note(const std::string& note, std::size_t& taken) {
  const std::size_t needed = note.size() + (at_line_start_ ? 0 : 1);
  if (needed > room()) {
    if (Status status = make_room(); !status || full_) return status;
  }
  std::size_t ignored = 0;
  Status status = write_all(at_line_start_ ? note : "\n" + note, ignored);
  if (status) taken += note.size();
  return status;
}

Status SinkFile::write_all(std::string_view bytes, std::size_t& taken) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file_.get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failed("cannot write to " + spec_.path, errno);
    const auto written = static_cast<std::size_t>(count);
    if (written > 0) at_line_start_ = bytes[written - 1] == '\n';
    bytes.remove_prefix(written);
    taken += written;
    size_ += written;
  }
  return {};
}

// Without rotation, the last line is reserved for the note about the limit.
std::uint64_t SinkFile::room() const {
  const std::uint64_t kept_back = spec_.files > 1 ? 0 : quota_note_.size() + 1;
  const std::uint64_t limit = spec_.max_bytes - kept_back;
  return size_ < limit ? limit - size_ : 0;
}

Status SinkFile::make_room() {
  return spec_.files > 1 ? rotate() : end_by_quota();
}

Status SinkFile::end_by_quota() {
  const std::string note = at_line_start_ ? quota_note_ : "\n" + quota_note_;
  std::size_t ignored = 0;
  // A continued file may have no room even for the note.
  if (size_ + note.size() <= spec_.max_bytes) {
    if (Status status = write_all(note, ignored); !status) return status;
  }
  full_ = true;
  return {};
}

// Can be repeated from the beginning after any failure: a name that has moved is not there.
Status SinkFile::rotate() {
  Result<UniqueFd> parent = open_parent();
  if (!parent) return parent.status();
  for (std::uint32_t number = spec_.files - 1; number > 0; --number) {
    const std::string from = number == 1 ? name_ : rotated_name(number - 1);
    const std::string to = rotated_name(number);
    if (::renameat(parent->get(), from.c_str(), parent->get(), to.c_str()) != 0 &&
        errno != ENOENT) {
      return failed("cannot rename " + from + " to " + to, errno);
    }
  }
  file_.reset();
  files_ = std::min(files_ + 1, spec_.files);
  return begin_file(*parent);
}

Status SinkFile::open_when_needed() {
  struct stat file {};
  // Other programs may have removed the file, and bytes written to it would be lost.
  if (file_ && ::fstat(file_.get(), &file) == 0 && file.st_nlink > 0) {
    size_ = static_cast<std::uint64_t>(file.st_size);
    return {};
  }
  file_.reset();
  if (!root_) {
    root_.reset(::open(spec_.directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!root_) return failed("cannot open " + spec_.directory, errno);
  }
  const Result<UniqueFd> parent = open_parent();
  if (!parent) return parent.status();
  if (Status status = begin_file(*parent); !status || begun_) return status;

  if (!spec_.append && size_ > 0) {
    if (::ftruncate(file_.get(), 0) != 0) {
      const int error = errno;
      file_.reset();
      return failed("cannot empty " + spec_.path, error);
    }
    size_ = 0;
    at_line_start_ = true;
  }
  files_ = 1;
  for (std::uint32_t number = 1; number < spec_.files; ++number) {
    const std::string name = rotated_name(number);
    if (!spec_.append) {
      static_cast<void>(::unlinkat(parent->get(), name.c_str(), 0));
    } else if (::fstatat(parent->get(), name.c_str(), &file, AT_SYMLINK_NOFOLLOW) == 0) {
      ++files_;
    }
  }
  begun_ = true;
  return {};
}

// Opens the file, and continues at its end if it exists.
Status SinkFile::begin_file(const UniqueFd& parent) {
  Result<UniqueFd> opened = open_file(parent);
  if (!opened) return opened.status();
  file_ = std::move(*opened);
  struct stat file {};
  if (::fstat(file_.get(), &file) != 0) return failed("cannot look at " + spec_.path, errno);
  size_ = static_cast<std::uint64_t>(file.st_size);
  char last = '\n';
  if (file.st_size > 0) static_cast<void>(::pread(file_.get(), &last, 1, file.st_size - 1));
  at_line_start_ = last == '\n';
  return {};
}

Result<UniqueFd> SinkFile::open_parent() {
  constexpr int kFlags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  UniqueFd directory(::fcntl(root_.get(), F_DUPFD_CLOEXEC, 0));
  for (const std::string& name : directories_) {
    if (!directory) break;
    int next = open_beneath(directory.get(), name, kFlags, 0);
    if (next < 0 && errno == ENOENT) {
      if (::mkdirat(directory.get(), name.c_str(), kDirectoryMode) != 0 && errno != EEXIST) {
        return failed("cannot make the directory " + name + " of " + spec_.path, errno);
      }
      next = open_beneath(directory.get(), name, kFlags, 0);
    }
    if (next < 0 && (errno == ELOOP || errno == ENOTDIR)) {
      return failed("cannot open " + spec_.path,
                    name + " is not a directory of its own (symbolic " + "links are not followed)");
    }
    if (next < 0) return failed("cannot open the directory " + name + " of " + spec_.path, errno);
    directory.reset(next);
  }
  if (!directory) return failed("cannot open " + spec_.path, errno);
  return directory;
}

Result<UniqueFd> SinkFile::open_file(const UniqueFd& parent) {
  const std::string what = "cannot open " + spec_.path;
  struct stat file {};
  // Checked before it is opened, because opening may affect a device, and again afterwards, to be
  // certain.
  if (::fstatat(parent.get(), name_.c_str(), &file, AT_SYMLINK_NOFOLLOW) == 0) {
    if (const char* why = objection(file)) return failed(what, why);
  }
  UniqueFd opened(open_beneath(
      parent.get(), name_,
      O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, kFileMode));
  if (!opened) return failed(what, errno);
  if (::fstat(opened.get(), &file) != 0) return failed(what, errno);
  if (const char* why = objection(file)) return failed(what, why);
  return opened;
}

int SinkFile::open_beneath(int directory, const std::string& name, int flags, mode_t mode) {
  if (with_openat2_) {
    open_how how{};
    how.flags = static_cast<unsigned>(flags);
    how.mode = mode;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
    const long opened = ::syscall(SYS_openat2, directory, name.c_str(), &how, sizeof how);
    // Linux before 5.6, or an older filter of system calls, has no openat2.
    with_openat2_ = opened >= 0 || (errno != ENOSYS && errno != EPERM);
    if (with_openat2_) return static_cast<int>(opened);
  }
  // One component with O_NOFOLLOW is as strict.
  return ::openat(directory, name.c_str(), flags, mode);
}

std::string SinkFile::rotated_name(std::uint32_t number) const {
  return name_ + "." + std::to_string(number);
}

}  // namespace gibbous
