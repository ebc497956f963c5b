// OpenHandles: counts what libuv still holds of one Waits (sockets that are closing, a name that is
// being resolved), so that close() can say when nothing is left. Loop thread only.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>

namespace gibbous {

class OpenHandles {
 public:
  void opened() { ++count_; }
  // The last thing that a close callback does: the owner of this object may be gone afterwards.
  void closed() {
    if (--count_ == 0 && on_none_) std::exchange(on_none_, nullptr)();
  }
  // Comes from closed(), so there must be something open now.
  void when_none(std::function<void()> on_none) { on_none_ = std::move(on_none); }

 private:
  std::size_t count_ = 0;
  std::function<void()> on_none_;
};

}  // namespace gibbous
