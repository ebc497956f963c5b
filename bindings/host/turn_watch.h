// TurnWatch: finds turns of the loop that take too long. For tests: the variable GIBBOUS_TURN_WATCH
// names a file that gets a line for each, also from programs that a test starts. A turn counts
// without the time in which the loop waits for events, its thread for a processor, or the whole
// process for a machine that stands still. A second of waiting for anything else is too long: where
// other tests keep the disk and the processors busy, the start of a keeper alone has waited for
// 0.3 s. So is 0.1 s of what is computed, which is without what interrupts and a hypervisor took
// of it: Linux charges them to the thread that they meet. Under a sanitizer, ten times as much.
// Loop thread only.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "runtime/base/unique_fd.h"

struct uv_loop_s;

namespace gibbous::host {

class TurnWatch {
 public:
  // Null where the variable is not set.
  static std::unique_ptr<TurnWatch> create(uv_loop_s* loop);

  class Turn {
   public:
    // `watch` may be null.
    Turn(TurnWatch* watch, const char* what);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    TurnWatch* watch_;
    const char* what_;
    std::uint64_t wall_ = 0;
    std::uint64_t waited_ = 0;
    std::uint64_t cpu_ = 0;
    std::uint64_t taken_ = 0;
    std::uint64_t system_ = 0;
  };

 private:
  // Nanoseconds in which there was nothing to do, no processor to do it, or no thread of this
  // process that did anything.
  std::uint64_t waited() const;
  // Nanoseconds that interrupts and a hypervisor have taken of all processors.
  std::uint64_t taken() const;

  uv_loop_s* loop_ = nullptr;
  std::string path_;
  UniqueFd schedstat_;
  UniqueFd stat_;
};

}  // namespace gibbous::host
