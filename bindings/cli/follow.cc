// See follow.h.
#include "bindings/cli/follow.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

namespace gibbous::cli {
namespace {

constexpr int kForever = -1;

}  // namespace

Result<Follow> Follow::create() {
  auto signals = stdio::ProgramSignals::create();
  if (!signals) return signals.status();
  return Follow(std::move(*signals));
}

bool Follow::write(std::string_view bytes) {
  while (!bytes.empty()) {
    // A slow reader must not delay a signal.
    pollfd files[] = {{STDOUT_FILENO, POLLOUT, 0}, {signals_->fd(), POLLIN, 0}};
    if (::poll(files, 2, kForever) < 0 && errno != EINTR) return false;
    if (files[1].revents != 0) return false;
    const ssize_t written = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (written < 0 && errno != EAGAIN && errno != EINTR) return false;
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool Follow::rest(std::chrono::milliseconds time) {
  pollfd files[] = {{STDOUT_FILENO, 0, 0}, {signals_->fd(), POLLIN, 0}};
  if (::poll(files, 2, static_cast<int>(time.count())) <= 0) return true;
  return files[0].revents == 0 && files[1].revents == 0;
}

}  // namespace gibbous::cli
