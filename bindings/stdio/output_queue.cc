// See output_queue.h.
#include "bindings/stdio/output_queue.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace gibbous::stdio {
namespace {

// The written bytes are removed once there are more of them than this and than pending ones, so
// that each byte moves at most once.
constexpr std::size_t kCompactBytes = std::size_t{256} * 1024;

bool writable_now(int fd) {
  pollfd entry{fd, POLLOUT, 0};
  return ::poll(&entry, 1, 0) == 1 && (entry.revents & (POLLOUT | POLLERR | POLLHUP)) != 0;
}

}  // namespace

OutputQueue::OutputQueue(int fd) : fd_(fd) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) return;
  is_socket_ = S_ISSOCK(info.st_mode);
  if (!S_ISFIFO(info.st_mode)) return;
  // Opening another user's pipe fails; it is then written in small pieces.
  const std::string path = "/proc/self/fd/" + std::to_string(fd);
  own_.reset(::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
}

void OutputQueue::push(std::string_view line) {
  if (broken_) return;
  bytes_.append(line);
  bytes_.push_back('\n');
}

void OutputQueue::flush() {
  while (!broken_ && pending_bytes() > 0) {
    const long count = write_some(std::string_view(bytes_).substr(written_));
    if (count < 0) broken_ = true;
    if (count <= 0) break;
    written_ += static_cast<std::size_t>(count);
  }
  if (broken_ || pending_bytes() == 0) {
    bytes_.clear();
    written_ = 0;
    // One huge result must not take memory for the life of the process.
    if (bytes_.capacity() > kCompactBytes) bytes_.shrink_to_fit();
  } else if (written_ > kCompactBytes && written_ > pending_bytes()) {
    bytes_.erase(0, written_);
    written_ = 0;
  }
}

long OutputQueue::write_some(std::string_view bytes) {
  while (true) {
    ssize_t count = 0;
    if (is_socket_) {
      count = ::send(fd_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    } else if (own_) {
      count = ::write(own_.get(), bytes.data(), bytes.size());
    } else {
      // A writable pipe takes PIPE_BUF bytes without blocking; more might block.
      if (!writable_now(fd_)) return 0;
      count = ::write(fd_, bytes.data(), std::min<std::size_t>(bytes.size(), PIPE_BUF));
    }
    if (count >= 0) return count;
    if (errno == EAGAIN || errno == EWOULDBLOCK) return 0;
    if (errno != EINTR) return -1;
  }
}

}  // namespace gibbous::stdio
