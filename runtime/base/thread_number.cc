#include "runtime/base/thread_number.h"

#include <atomic>

namespace gibbous {

std::uint64_t thread_number() {
  static std::atomic<std::uint64_t> last{0};
  thread_local const std::uint64_t number = ++last;
  return number;
}

}  // namespace gibbous
