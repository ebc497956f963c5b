#include "runtime/network/thread.h"

#include <pthread.h>

#include <memory>
#include <utility>

namespace gibbous::network {

bool start_thread(std::function<void()> work) {
  using Work = std::function<void()>;
  auto held = std::make_unique<Work>(std::move(work));
  const auto main = [](void* argument) -> void* {
    const std::unique_ptr<Work> own(static_cast<Work*>(argument));
    (*own)();
    return nullptr;
  };
  pthread_t thread{};
  if (::pthread_create(&thread, nullptr, main, held.get()) != 0) return false;
  ::pthread_detach(thread);
  (void)held.release();
  return true;
}

}  // namespace gibbous::network
