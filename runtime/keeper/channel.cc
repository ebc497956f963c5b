// sendmsg and recvmsg with SCM_RIGHTS.
#include "runtime/keeper/channel.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace gibbous {
namespace {

struct alignas(cmsghdr) ControlBuffer {
  std::array<char, CMSG_SPACE(sizeof(int) * wire::kMaxFds) + CMSG_SPACE(sizeof(ucred))> bytes;
};

void take_fds(msghdr& header, FdList& fds) {
  for (cmsghdr* part = CMSG_FIRSTHDR(&header); part != nullptr; part = CMSG_NXTHDR(&header, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(part) + i * sizeof fd, sizeof fd);
      fds.add(UniqueFd(fd));
    }
  }
}

pid_t sender_of(msghdr& header) {
  for (cmsghdr* part = CMSG_FIRSTHDR(&header); part != nullptr; part = CMSG_NXTHDR(&header, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_CREDENTIALS) continue;
    ucred credentials{};
    std::memcpy(&credentials, CMSG_DATA(part), sizeof credentials);
    return credentials.pid;
  }
  return 0;
}

}  // namespace

Channel::Channel(UniqueFd socket, std::size_t receive_bytes)
    : socket_(std::move(socket)), buffer_(receive_bytes) {}

Channel::Outcome Channel::send(std::span<const std::uint8_t> message, FdList fds) {
  if (queue_.empty()) {
    const Outcome outcome = transmit(message, fds);
    if (outcome == Outcome::kDone || outcome == Outcome::kClosed) return outcome;
    queue_.push_back({{message.begin(), message.end()}, std::move(fds)});
    return outcome;
  }
  queue_.push_back({{message.begin(), message.end()}, std::move(fds)});
  return Outcome::kLater;
}

Channel::Outcome Channel::flush() {
  while (!queue_.empty()) {
    const Outcome outcome = transmit(queue_.front().message, queue_.front().fds);
    if (outcome != Outcome::kDone) return outcome;
    queue_.pop_front();
  }
  return Outcome::kDone;
}

Channel::Outcome Channel::transmit(std::span<const std::uint8_t> message, const FdList& fds) {
  iovec part{const_cast<std::uint8_t*>(message.data()), message.size()};
  ControlBuffer control{};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  if (fds.size() > 0) {
    header.msg_control = control.bytes.data();
    header.msg_controllen = CMSG_SPACE(sizeof(int) * fds.size());
    cmsghdr* rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int) * fds.size());
    for (std::size_t i = 0; i < fds.size(); ++i) {
      const int fd = fds[i].get();
      std::memcpy(CMSG_DATA(rights) + i * sizeof fd, &fd, sizeof fd);
    }
  }
  for (;;) {
    if (::sendmsg(socket_.get(), &header, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0) return Outcome::kDone;
    switch (errno) {
      case EINTR:
        continue;
      case EAGAIN:
      case ENOBUFS:
      case ENOMEM:
        return Outcome::kLater;
      case ETOOMANYREFS:
        return Outcome::kOutOfFds;
      default:
        return Outcome::kClosed;
    }
  }
}

Channel::Outcome Channel::receive(Received& received) {
  received.fds.clear();
  iovec part{buffer_.data(), buffer_.size()};
  ControlBuffer control;
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control.bytes.data();
  header.msg_controllen = control.bytes.size();
  ssize_t got = 0;
  do {
    got = ::recvmsg(socket_.get(), &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    // ECONNRESET: the other end closed with messages unread. It is reported once; what that end
    // sent can still be read, and then comes the end.
  } while (got < 0 && (errno == EINTR || errno == ECONNRESET));
  if (got < 0) return errno == EAGAIN ? Outcome::kLater : Outcome::kClosed;
  take_fds(header, received.fds);
  received.sender = sender_of(header);
  // Our messages are never empty: this is the end.
  if (got == 0) return Outcome::kClosed;
  if ((header.msg_flags & MSG_TRUNC) != 0) return Outcome::kUnreadable;
  received.fds_lost = (header.msg_flags & MSG_CTRUNC) != 0;
  received.message = std::span(buffer_).first(static_cast<std::size_t>(got));
  return Outcome::kDone;
}

}  // namespace gibbous
