#include "runtime/network/pair.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace gibbous::network {
namespace {

// What it is in the middle of ends when the other side is ready.
bool would_wait(int error) {
  return error == EAGAIN || error == EINTR || error == ENOTCONN || error == EINPROGRESS;
}

}  // namespace

Pair::Pair(UniqueFd first, UniqueFd second) : sockets_{std::move(first), std::move(second)} {
  for (Direction& direction : directions_) {
    direction.bytes = std::make_unique<std::array<char, kBytes>>();
  }
}

Pair::State Pair::carry() {
  constexpr int kRounds = 16;
  bool moved = true;
  for (int round = 0; moved && !failed_; ++round) {
    if (round == kRounds) return State::kHasMore;
    const bool there = carry(directions_[0], first(), second());
    const bool back = carry(directions_[1], second(), first());
    moved = there || back;
  }
  const bool over = failed_ || (directions_[0].closed && directions_[1].closed);
  return over ? State::kOver : State::kWaits;
}

bool Pair::carry(Direction& direction, int from, int to) {
  bool moved = false;
  if (direction.begin == direction.end && !direction.ended) {
    const ssize_t got = ::recv(from, direction.bytes->data(), kBytes, 0);
    if (got > 0) {
      direction.begin = 0;
      direction.end = static_cast<std::size_t>(got);
      moved = true;
    } else if (got == 0) {
      direction.ended = true;
    } else if (!would_wait(errno)) {
      failed_ = true;
    }
  }
  if (direction.begin < direction.end) {
    const ssize_t sent = ::send(to, direction.bytes->data() + direction.begin,
                                direction.end - direction.begin, MSG_NOSIGNAL);
    if (sent > 0) {
      direction.begin += static_cast<std::size_t>(sent);
      moved = true;
    } else if (sent < 0 && (errno == EPIPE || errno == ECONNRESET)) {
      // That side reads no more; what comes from there may still be read.
      direction.begin = direction.end = 0;
      direction.ended = direction.closed = true;
      moved = true;
    } else if (sent < 0 && !would_wait(errno)) {
      failed_ = true;
    }
  }
  if (direction.ended && !direction.closed && direction.begin == direction.end) {
    direction.closed = true;
    (void)::shutdown(to, SHUT_WR);
    moved = true;
  }
  return moved;
}

}  // namespace gibbous::network
