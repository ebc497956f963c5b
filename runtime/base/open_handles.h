// OpenHandles: counts what an event loop still holds of one owner (sockets being closed, a name
// being resolved), so that its close() knows when nothing is left. Loop thread only.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>

namespace gibbous {

class OpenHandles {
 public:
  void opened() { ++count_; }
  // A close callback calls it last: the owner of this object may be gone afterwards.
  void closed() {
    if (--count_ == 0 && on_none_) std::exchange(on_none_, nullptr)();
  }
  // closed() calls it, so something must be open now.
  void when_none(std::function<void()> on_none) { on_none_ = std::move(on_none); }

 private:
  std::size_t count_ = 0;
  std::function<void()> on_none_;
};

}  // namespace gibbous
