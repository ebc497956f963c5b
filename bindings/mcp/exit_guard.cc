// See exit_guard.h.
#include "bindings/mcp/exit_guard.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>

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

}  // namespace

ExitGuard::ExitGuard(int input_fd, int stop_fd, std::chrono::milliseconds limit)
    : done_(::eventfd(0, EFD_CLOEXEC)),
      thread_([this, input_fd, stop_fd, limit] { watch(input_fd, stop_fd, limit); }) {}

ExitGuard::~ExitGuard() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(done_.get(), &one, sizeof one);
  thread_.join();
}

void ExitGuard::watch(int input_fd, int stop_fd, std::chrono::milliseconds limit) const {
  const pollfd done{done_.get(), POLLIN, 0};
  std::array<pollfd, 3> entries{{done, {input_fd, POLLRDHUP, 0}, {stop_fd, POLLIN, 0}}};
  if (!wait_for(entries, kForever) || entries[0].revents != 0) return;
  std::array<pollfd, 1> orderly{done};
  if (!wait_for(orderly, static_cast<int>(limit.count()))) ::_exit(kExitCode);
}

}  // namespace gibbous::mcp
