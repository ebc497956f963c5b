// Channel: one end of the socket between the library and its keeper. Sends what it can at once and
// queues the rest; receives one message with its descriptors at a time. Never blocks.
// KeeperClient's link and the keeper's Server each own one; their loop's thread only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "runtime/base/unique_fd.h"
#include "runtime/keeper/wire.h"

namespace gibbous {

// The descriptors that travel with one message.
class FdList {
 public:
  void add(UniqueFd fd) {
    if (count_ < fds_.size()) fds_[count_++] = std::move(fd);
  }
  std::size_t size() const { return count_; }
  UniqueFd& operator[](std::size_t index) { return fds_[index]; }
  const UniqueFd& operator[](std::size_t index) const { return fds_[index]; }
  void clear() { *this = FdList(); }

 private:
  std::array<UniqueFd, wire::kMaxFds> fds_;
  std::size_t count_ = 0;
};

class Channel {
 public:
  enum class Outcome : std::uint8_t {
    kDone,
    kLater,       // send: queued until the socket is writable; receive: nothing there
    kOutOfFds,    // send: queued until the kernel accepts more descriptors in transit
    kClosed,      // the other end is gone
    kUnreadable,  // receive: larger than a message may be
  };

  // `receive_bytes`: the largest message that the other side may send.
  Channel(UniqueFd socket, std::size_t receive_bytes);

  int fd() const { return socket_.get(); }
  bool has_queued() const { return !queue_.empty(); }
  std::size_t queued() const { return queue_.size(); }

  // Messages keep their order.
  Outcome send(std::span<const std::uint8_t> message, FdList fds);
  Outcome flush();

  struct Received {
    std::span<const std::uint8_t> message;  // valid until the next receive()
    FdList fds;
    bool fds_lost = false;  // this process had no room for some of them
    pid_t sender = 0;       // where the socket passes credentials (SO_PASSCRED)
  };
  Outcome receive(Received& received);

 private:
  struct Queued {
    std::vector<std::uint8_t> message;
    FdList fds;
  };
  Outcome transmit(std::span<const std::uint8_t> message, const FdList& fds);

  UniqueFd socket_;
  std::vector<std::uint8_t> buffer_;
  std::deque<Queued> queue_;
};

}  // namespace gibbous
