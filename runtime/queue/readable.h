// Readable calls back from the loop whenever a descriptor is readable. It does not hold the loop
// open, and may be destroyed in its own callback. Loop thread only.
#pragma once

#include <functional>

#include "runtime/base/unique_fd.h"

struct uv_loop_s;

namespace gibbous {

class Readable {
 public:
  Readable(uv_loop_s* loop, std::function<void()> on_readable);
  ~Readable();
  Readable(const Readable&) = delete;
  Readable& operator=(const Readable&) = delete;

  // Watches this descriptor, and owns it from now on. Returns false when that is impossible.
  bool watch(UniqueFd fd);
  void stop();

 private:
  struct Poll;

  uv_loop_s* loop_;
  std::function<void()> on_readable_;
  Poll* poll_ = nullptr;  // frees itself once libuv releases it
};

}  // namespace gibbous
