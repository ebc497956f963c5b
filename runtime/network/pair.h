// Pair: two connected sockets of which each gets what comes from the other. One thread.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

#include "runtime/base/unique_fd.h"

namespace gibbous::network {

class Pair {
 public:
  // Both non-blocking; they may still be connecting.
  Pair(UniqueFd first, UniqueFd second);

  int first() const { return sockets_[0].get(); }
  int second() const { return sockets_[1].get(); }
  enum class State { kWaits, kHasMore, kOver };
  // Carries over what there is, but not for ever. kWaits: one of the sockets is to be waited for,
  // edge by edge. kOver: both directions are over, or a connection has failed.
  State carry();

 private:
  static constexpr std::size_t kBytes = std::size_t{32} << 10;
  struct Direction {
    std::unique_ptr<std::array<char, kBytes>> bytes;
    std::size_t begin = 0;
    std::size_t end = 0;
    bool ended = false;   // nothing more comes
    bool closed = false;  // and that was passed on
  };
  // Returns whether anything moved.
  bool carry(Direction& direction, int from, int to);

  std::array<UniqueFd, 2> sockets_;
  std::array<Direction, 2> directions_;
  bool failed_ = false;
};

}  // namespace gibbous::network
