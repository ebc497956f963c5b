// Beside does work that takes milliseconds on a thread, one piece after the other, so that the loop
// does not wait for it. Loop thread.
#pragma once

#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace gibbous::lua {

class Beside {
 public:
  Beside() = default;
  // Waits for the piece that is being done; the others are dropped.
  ~Beside();
  Beside(const Beside&) = delete;
  Beside& operator=(const Beside&) = delete;

  // Does `work` on the thread, or here when there can be none. It is destroyed there, too.
  void run(std::function<void()> work);

 private:
  void run_all();

  std::thread thread_;
  std::mutex mutex_;  // of all below
  std::deque<std::function<void()>> waiting_;
  bool is_running_ = false;
};

}  // namespace gibbous::lua
