// See exit_guard.h.
#include "bindings/mcp/exit_guard.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <string_view>

namespace gibbous::mcp {
namespace {

constexpr int kForever = -1;
constexpr int kExitCode = 0;  // the same as after an orderly end

// Waits until one of the entries is ready. False when the time is up first.
template <std::size_t N>
bool wait_for(std::array<pollfd, N>& entries, int timeout) {
  while (true) {
    const int count = ::poll(entries.data(), entries.size(), timeout);
    if (count >= 0 || errno != EINTR) return count > 0;
  }
}

extern "C" void end_here(int) {
  ::_exit(kExitCode);
}

}  // namespace

ExitGuard::ExitGuard(int input_fd, int stop_fd, std::chrono::milliseconds limit)
    : done_(::eventfd(0, EFD_CLOEXEC)),
      thread_([this, input_fd, stop_fd, limit] { watch(input_fd, stop_fd, limit); }) {}

ExitGuard::~ExitGuard() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(done_.get(), &one, sizeof one);
  thread_.join();
}

void ExitGuard::waits_for_disk(const std::string& problem) {
  if (waits_for_disk_) return;
  problem_ = "gibbous: " + problem + "\n";
  waits_for_disk_ = true;
}

void ExitGuard::watch(int input_fd, int stop_fd, std::chrono::milliseconds limit) const {
  const pollfd done{done_.get(), POLLIN, 0};
  std::array<pollfd, 3> entries{{done, {input_fd, POLLRDHUP, 0}, {stop_fd, POLLIN, 0}}};
  if (!wait_for(entries, kForever) || entries[0].revents != 0) return;
  if (entries[2].revents == 0 && !serving_) {
    // A stop still counts as one.
    std::array<pollfd, 2> early{{done, entries[2]}};
    const bool told = wait_for(early, static_cast<int>(kEarlyEndLimit.count()));
    if (told && early[0].revents != 0) return;
    if (!told) limit = std::chrono::milliseconds(0);
  }
  std::array<pollfd, 1> orderly{done};
  if (wait_for(orderly, static_cast<int>(limit.count()))) return;
  constexpr std::string_view kLast =
      "gibbous: a script or a disk took too long at the end; the last of the journal and of logs "
      "may be missing\n";
  const std::string_view last = waits_for_disk_ ? std::string_view(problem_) : kLast;
  [[maybe_unused]] const ssize_t said = ::write(STDERR_FILENO, last.data(), last.size());
  // Where a disk holds a thread, the process stays until it answers, and so would all that is open:
  // the client waits for the end of the output, which the transport has opened anew.
  constexpr long kAllFds = 0x7fffffff;
  // A loop that still turns finds its descriptors closed, and aborts.
  (void)std::signal(SIGABRT, end_here);
  ::syscall(SYS_close_range, 0, kAllFds, 0);
  ::_exit(kExitCode);
}

}  // namespace gibbous::mcp
