// See follow.h.
#include "bindings/cli/follow.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>

namespace gibbous::cli {
namespace {

using std::chrono::milliseconds;

constexpr int kForever = -1;
// After a report, pauses grow from the shortest one: what is written can be read a little later,
// when it is on disk.
constexpr milliseconds kShortestPause{10};
constexpr milliseconds kLongestPause{1'000};
// A busy writer commits hundreds of times a second.
constexpr milliseconds kReportsTogether{5};
constexpr std::chrono::seconds kLookInterval{2};

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

void Follow::watch_journal(const std::string& directory) {
  watch_ = inspect::JournalWatch::create(directory);
  pause_ = watch_ ? kShortestPause : kNewsInterval;
}

bool Follow::rest() {
  if (!watch_) return rest(kNewsInterval);
  pollfd files[] = {{STDOUT_FILENO, 0, 0}, {signals_->fd(), POLLIN, 0}, {watch_->fd(), POLLIN, 0}};
  const int ready = ::poll(files, 3, static_cast<int>(pause_.count()));
  pause_ = std::min(pause_ * 2, kLongestPause);
  if (ready <= 0) return true;
  if (files[0].revents != 0 || files[1].revents != 0) return false;
  const bool goes_on = rest(kReportsTogether);
  watch_->drain();
  pause_ = kShortestPause;
  return goes_on;
}

bool Follow::is_time_to_look() {
  const auto now = std::chrono::steady_clock::now();
  if (looked_ && now - *looked_ < kLookInterval) return false;
  looked_ = now;
  return true;
}

bool Follow::rest(milliseconds time) {
  pollfd files[] = {{STDOUT_FILENO, 0, 0}, {signals_->fd(), POLLIN, 0}};
  if (::poll(files, 2, static_cast<int>(time.count())) <= 0) return true;
  return files[0].revents == 0 && files[1].revents == 0;
}

}  // namespace gibbous::cli
