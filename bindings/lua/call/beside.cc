#include "bindings/lua/call/beside.h"

#include <system_error>
#include <utility>

#include "runtime/base/quiet_thread.h"

namespace gibbous::lua {

Beside::~Beside() {
  std::deque<std::function<void()>> dropped;
  {
    const std::lock_guard lock(mutex_);
    dropped.swap(waiting_);
  }
  dropped.clear();
  if (thread_.joinable()) thread_.join();
}

void Beside::run(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(work));
    if (std::exchange(is_running_, true)) return;
  }
  if (thread_.joinable()) thread_.join();  // it has nothing left to do
  try {
    thread_ = quiet_thread([this] { run_all(); });
  } catch (const std::system_error&) {
    run_all();
  }
}

void Beside::run_all() {
  while (true) {
    std::function<void()> next;
    {
      const std::lock_guard lock(mutex_);
      if (waiting_.empty()) {
        is_running_ = false;
        return;
      }
      next.swap(waiting_.front());
      waiting_.pop_front();
    }
    next();
  }
}

}  // namespace gibbous::lua
