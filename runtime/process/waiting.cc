// Reads /proc/PID/task/TID/syscall: the number and arguments of the system call that blocks a
// thread. Sets of descriptors are read from the process's memory.
#include "runtime/process/waiting.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/unique_fd.h"
#include "runtime/process/proc.h"

namespace gibbous {
namespace {

constexpr std::size_t kWaitingPathBytes = 64;
constexpr std::size_t kSyscallBytes = 256;
constexpr std::size_t kPlaceBytes = 128;
constexpr std::size_t kFdInfoBytes = 4096;  // about forty descriptors of an epoll
constexpr std::size_t kMaxPolled = 64;
constexpr std::size_t kMaxThreads = 1024;  // examined per request (10 µs each)
constexpr std::size_t kArguments = 3;
constexpr int kNoFd = -1;

struct BlockedCall {
  long number = -1;  // -1: blocked, but in no system call
  std::array<std::uint64_t, kArguments> arguments{};

  int fd(std::size_t index) const { return static_cast<int>(arguments[index]); }
};

enum class CallKind : std::uint8_t { kOther, kRead, kSecondIsRead, kPoll, kSelect, kEpoll };

CallKind kind_of(long number) {
  switch (number) {
    case SYS_read:
    case SYS_readv:
    case SYS_pread64:
    case SYS_preadv:
    case SYS_preadv2:
    case SYS_splice:
    case SYS_tee:
    case SYS_copy_file_range:
      return CallKind::kRead;
    case SYS_sendfile:
      return CallKind::kSecondIsRead;
#ifdef SYS_poll
    case SYS_poll:
#endif
    case SYS_ppoll:
      return CallKind::kPoll;
#ifdef SYS_select
    case SYS_select:
#endif
    case SYS_pselect6:
      return CallKind::kSelect;
#ifdef SYS_epoll_wait
    case SYS_epoll_wait:
#endif
#ifdef SYS_epoll_pwait2
    case SYS_epoll_pwait2:
#endif
    case SYS_epoll_pwait:
      return CallKind::kEpoll;
    default:
      return CallKind::kOther;
  }
}

// Returns nothing when it cannot be read.
std::optional<BlockedCall> read_call(pid_t pid, pid_t thread) {
  std::array<char, kWaitingPathBytes> name;
  std::snprintf(name.data(), name.size(), "task/%d/syscall", thread);
  std::array<char, kSyscallBytes> text;
  if (!read_proc_file(pid, name.data(), text) || text[0] == '\0') return std::nullopt;
  BlockedCall call;
  std::string_view rest(text.data());
  // "running", or "NUMBER 0xARGUMENT ...".
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), call.number);
  if (error != std::errc{}) return BlockedCall{};
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  constexpr std::string_view kBefore = " 0x";
  constexpr int kHex = 16;
  for (std::uint64_t& argument : call.arguments) {
    if (!rest.starts_with(kBefore)) return BlockedCall{};
    rest.remove_prefix(kBefore.size());
    const char* stop = std::from_chars(rest.data(), rest.data() + rest.size(), argument, kHex).ptr;
    rest.remove_prefix(static_cast<std::size_t>(stop - rest.data()));
  }
  return call;
}

bool read_memory(pid_t pid, std::uint64_t address, void* to, std::size_t size) {
  const iovec local{to, size};
  const iovec remote{reinterpret_cast<void*>(address), size};  // NOLINT: an address in the other
                                                               // process
  return ::process_vm_readv(pid, &local, 1, &remote, 1, 0) == static_cast<ssize_t>(size);
}

// Returns what a link of /proc/PID/fd points to, or "".
std::string target_of(pid_t pid, int fd) {
  std::array<char, kWaitingPathBytes> path;
  std::snprintf(path.data(), path.size(), "/proc/%d/fd/%d", pid, fd);
  std::array<char, kPlaceBytes> target;
  const ssize_t length = ::readlink(path.data(), target.data(), target.size());
  return length <= 0 ? "" : std::string(target.data(), static_cast<std::size_t>(length));
}

// Returns true if only the process itself can make it readable, as event loops do to wake up.
bool is_own_wakeup(pid_t pid, int fd) {
  constexpr std::size_t kMaxFds = 256;
  const std::string target = target_of(pid, fd);
  for (const char* own :
       {"anon_inode:[eventfd]", "anon_inode:[signalfd]", "anon_inode:[io_uring]"}) {
    if (target == own) return true;
  }
  if (!target.starts_with("pipe:")) return false;
  std::array<char, kWaitingPathBytes> path;
  std::snprintf(path.data(), path.size(), "/proc/%d/fd", pid);
  std::vector<pid_t> fds;
  if (!list_numbers(path.data(), fds) || fds.size() > kMaxFds) return false;
  return std::any_of(fds.begin(), fds.end(), [pid, fd, &target](pid_t other) {
    return other != fd && target_of(pid, other) == target;
  });
}

// Returns the descriptor of a set if it is the only one besides those with which the process wakes
// itself; otherwise kNoFd.
class OnlyOne {
 public:
  explicit OnlyOne(pid_t pid) : pid_(pid) {}
  void add(int fd) {
    if (std::find(fds_.begin(), fds_.end(), fd) == fds_.end()) fds_.push_back(fd);
  }
  int fd() {
    if (fds_.size() > 1 && fds_.size() <= kMaxPolled) {
      std::erase_if(fds_, [this](int fd) { return is_own_wakeup(pid_, fd); });
    }
    return fds_.size() == 1 ? fds_.front() : kNoFd;
  }

 private:
  pid_t pid_;
  std::vector<int> fds_;
};

int only_polled(pid_t pid, const BlockedCall& call) {
  const std::uint64_t count = call.arguments[1];
  std::array<pollfd, kMaxPolled> polled{};
  if (count == 0 || count > polled.size() ||
      !read_memory(pid, call.arguments[0], polled.data(), count * sizeof(pollfd))) {
    return kNoFd;
  }
  OnlyOne one(pid);
  for (const pollfd& entry : std::span(polled).first(count)) {
    if (entry.fd >= 0 && (entry.events & (POLLIN | POLLRDNORM)) != 0) one.add(entry.fd);
  }
  return one.fd();
}

int only_selected(pid_t pid, const BlockedCall& call) {
  const int count = std::min(call.fd(0), FD_SETSIZE);
  fd_set set;
  FD_ZERO(&set);
  if (count <= 0 || call.arguments[1] == 0) return kNoFd;
  // The kernel reads whole longs, and only as many as it needs.
  constexpr std::size_t kLongBits = sizeof(long) * CHAR_BIT;
  const std::size_t longs = (static_cast<std::size_t>(count) + kLongBits - 1) / kLongBits;
  if (!read_memory(pid, call.arguments[1], &set, longs * sizeof(long))) return kNoFd;
  OnlyOne one(pid);
  for (int fd = 0; fd < count; ++fd) {
    if (FD_ISSET(fd, &set)) one.add(fd);
  }
  return one.fd();
}

// Lines of "tfd: FD events: HEX ...".
int only_in_epoll(pid_t pid, const BlockedCall& call) {
  std::array<char, kWaitingPathBytes> name;
  std::snprintf(name.data(), name.size(), "fdinfo/%d", call.fd(0));
  std::array<char, kFdInfoBytes> text;
  if (!read_proc_file(pid, name.data(), text)) return kNoFd;
  const std::size_t length = std::strlen(text.data());
  if (length + 1 == text.size()) return kNoFd;  // there are more than can be read
  OnlyOne one(pid);
  for (const char* line = text.data(); (line = std::strstr(line, "tfd:")) != nullptr;) {
    int fd = kNoFd;
    unsigned events = 0;
    if (std::sscanf(line, "tfd: %d events: %x", &fd, &events) != 2) return kNoFd;
    one.add(fd);
    if ((events & EPOLLIN) == 0) return kNoFd;
    ++line;
  }
  return one.fd();
}

int awaited_fd(pid_t pid, const BlockedCall& call) {
  switch (kind_of(call.number)) {
    case CallKind::kRead:
      return call.fd(0);
    case CallKind::kSecondIsRead:
      return call.fd(1);
    case CallKind::kPoll:
      return only_polled(pid, call);
    case CallKind::kSelect:
      return only_selected(pid, call);
    case CallKind::kEpoll:
      return only_in_epoll(pid, call);
    case CallKind::kOther:
      return kNoFd;
  }
  return kNoFd;
}

enum class Awaited : std::uint8_t { kOther, kInput, kTerminal };

bool is_terminal(const struct stat& file) {
  // Documentation/admin-guide/devices.txt: consoles and serial lines, /dev/tty, /dev/pts.
  constexpr unsigned kTtyMajor = 4;
  constexpr unsigned kTtyAuxMajor = 5;
  constexpr unsigned kFirstPtsMajor = 136;
  constexpr unsigned kLastPtsMajor = 143;
  if (!S_ISCHR(file.st_mode)) return false;
  const unsigned number = major(file.st_rdev);
  return number == kTtyMajor || number == kTtyAuxMajor ||
         (number >= kFirstPtsMajor && number <= kLastPtsMajor);
}

// Returns true if unread bytes are waiting: a blocked reader is about to wake up.
bool holds_bytes(const char* path) {
  const UniqueFd pipe(::open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  int bytes = 0;
  return pipe && ::ioctl(pipe.get(), FIONREAD, &bytes) == 0 && bytes > 0;
}

Awaited look_at(pid_t pid, int fd, const InputFile& input) {
  if (fd < 0) return Awaited::kOther;
  std::array<char, kWaitingPathBytes> path;
  std::snprintf(path.data(), path.size(), "/proc/%d/fd/%d", pid, fd);
  struct stat file {};
  if (!stat_open_file(path.data(), &file)) return Awaited::kOther;
  if (is_terminal(file)) {
    return holds_bytes(path.data()) ? Awaited::kOther : Awaited::kTerminal;
  }
  if (input.inode == 0 || file.st_ino != input.inode || file.st_dev != input.device) {
    return Awaited::kOther;
  }
  if (S_ISFIFO(file.st_mode) && holds_bytes(path.data())) return Awaited::kOther;
  return Awaited::kInput;
}

// Where the arguments are unknown, only descriptor 0 can be meant.
Awaited look_at_place(pid_t pid, pid_t thread, const InputFile& input) {
  std::array<char, kWaitingPathBytes> name;
  std::snprintf(name.data(), name.size(), "task/%d/wchan", thread);
  std::array<char, kPlaceBytes> text;
  if (!read_proc_file(pid, name.data(), text)) return Awaited::kOther;
  const std::string_view place(text.data());
  const bool in_pipe = place == "pipe_read" || place == "anon_pipe_read" ||
                       place == "fifo_pipe_read" || place == "pipe_wait_readable";
  const bool in_terminal = place == "n_tty_read" || place == "wait_woken";
  if (!in_pipe && !in_terminal) return Awaited::kOther;
  const Awaited awaited = look_at(pid, STDIN_FILENO, input);
  const Awaited expected = in_pipe ? Awaited::kInput : Awaited::kTerminal;
  return awaited == expected ? awaited : Awaited::kOther;
}

InputWait look_at_thread(const LivingProcess& process, pid_t thread, const InputFile& input,
                         WaitSource source) {
  std::optional<BlockedCall> call;
  if (source == WaitSource::kBest) call = read_call(process.pid, thread);
  const int fd = call ? awaited_fd(process.pid, *call) : STDIN_FILENO;
  const Awaited awaited =
      call ? look_at(process.pid, fd, input) : look_at_place(process.pid, thread, input);
  // A stopped process waits to be continued, unless the terminal stopped it.
  const bool stopped = process.state == 'T' || process.state == 't';
  if (awaited == Awaited::kOther || (stopped && awaited != Awaited::kTerminal)) return {};
  return {process.pid, fd, stopped};
}

}  // namespace

InputWait find_input_wait(std::span<const LivingProcess> processes, const InputFile& input,
                          WaitSource source) {
  std::size_t looks_left = kMaxThreads;
  std::vector<pid_t> threads;
  for (const LivingProcess& process : processes) {
    threads.assign(1, process.pid);
    if (process.threads > 1) {
      std::array<char, kWaitingPathBytes> path;
      std::snprintf(path.data(), path.size(), "/proc/%d/task", process.pid);
      threads.clear();
      (void)list_numbers(path.data(), threads);
    }
    for (const pid_t thread : threads) {
      if (looks_left-- == 0) return {};
      const InputWait wait = look_at_thread(process, thread, input, source);
      if (wait.pid != 0) return wait;
    }
  }
  return {};
}

}  // namespace gibbous
