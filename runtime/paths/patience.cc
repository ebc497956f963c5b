#include "runtime/paths/patience.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <map>
#include <mutex>
#include <utility>

#include "runtime/base/unique_fd.h"
#include "runtime/paths/walk.h"

namespace gibbous::paths {
namespace {

// Like fork(2), but the child's end is reported to no process.
long quiet_fork() {
  return ::syscall(SYS_clone, 0UL, nullptr, nullptr, nullptr, nullptr);
}

// System calls only: other threads may have held locks.
[[noreturn]] void look(const char* path, int answer) {
  (void)::setsid();
  if (answer != 0) ::dup2(answer, 0);
  ::syscall(SYS_close_range, 1U, ~0U, 0U);
  answer = 0;
  const long file = ::syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0);
  std::array<char, 512> some{};
  if (file >= 0 && ::syscall(SYS_read, file, some.data(), 1) < 0) {
    ::syscall(SYS_getdents64, file, some.data(), some.size());
  }
  ::syscall(SYS_write, answer, "", 1);
  ::_exit(0);
}

// The questions without an answer yet: a path is not asked about twice, however often it is wanted.
struct Unanswered {
  static constexpr std::size_t kMost = 64;
  std::mutex mutex;
  std::map<std::string, UniqueFd> answers;
};

Unanswered& unanswered() {
  static auto* all = new Unanswered;
  return *all;
}

bool comes(const UniqueFd& reader, std::chrono::milliseconds patience) {
  pollfd answer{reader.get(), POLLIN, 0};
  return ::poll(&answer, 1, static_cast<int>(patience.count())) == 1;
}

}  // namespace

bool answers_within(const std::string& absolute, std::chrono::milliseconds patience) {
  if (answers_at_once(absolute)) return true;
  UniqueFd earlier;
  {
    const std::lock_guard lock(unanswered().mutex);
    const auto asked = unanswered().answers.find(absolute);
    if (asked != unanswered().answers.end()) {
      if (!comes(asked->second, std::chrono::milliseconds(0))) {
        earlier.reset(::fcntl(asked->second.get(), F_DUPFD_CLOEXEC, 0));
      } else {
        unanswered().answers.erase(asked);
      }
    }
  }
  if (earlier) return comes(earlier, patience);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return true;  // no worse than without
  UniqueFd reader(ends[0]);
  UniqueFd writer(ends[1]);
  // No handler of the caller's runs in the child.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const long child = quiet_fork();
  if (child == 0) {
    if (quiet_fork() == 0) look(absolute.c_str(), writer.get());
    ::_exit(0);
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (child < 0) return true;
  while (::waitpid(static_cast<pid_t>(child), nullptr, __WALL) < 0 && errno == EINTR) {
  }
  writer.reset();
  if (comes(reader, patience)) return true;
  const std::lock_guard lock(unanswered().mutex);
  if (unanswered().answers.size() < Unanswered::kMost) {
    unanswered().answers[absolute] = std::move(reader);
  }
  return false;
}

}  // namespace gibbous::paths
