#include "runtime/paths/in_time.h"

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>

#include "runtime/base/quiet_thread.h"
#include "runtime/paths/walk.h"

namespace gibbous::paths {
namespace {

// Threads are a process's, and so is their bound.
std::atomic<int> hanging{0};

struct Attempt {
  std::mutex mutex;
  std::condition_variable on_done;
  bool done = false;
  bool given_up = false;
};

}  // namespace

bool in_time(const std::string& absolute, const MountTable& mounts,
             std::chrono::milliseconds patience, std::function<void()> work) {
  if (answers_at_once(absolute, mounts)) {
    work();
    return true;
  }
  if (hanging >= kMostHanging) return false;
  const auto attempt = std::make_shared<Attempt>();
  const bool started = start_quiet_thread([attempt, work = std::move(work)] {
    work();
    const std::lock_guard lock(attempt->mutex);
    attempt->done = true;
    if (attempt->given_up) --hanging;
    attempt->on_done.notify_one();
  });
  if (!started) return false;
  std::unique_lock lock(attempt->mutex);
  if (attempt->on_done.wait_for(lock, patience, [&] { return attempt->done; })) return true;
  attempt->given_up = true;
  ++hanging;
  return false;
}

}  // namespace gibbous::paths
