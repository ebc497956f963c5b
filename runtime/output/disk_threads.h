// DiskThreads: work that may hang on a disk, on threads of its own, and an answer on the loop. A
// file system that does not answer holds the threads that asked it: they are given up at the end,
// and what they use lives on until they come back. libuv's pool, which the host shares, has few
// threads, and a loop does not end before they do. Loop thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>

struct uv_loop_s;

namespace gibbous {

class DiskThreads {
 public:
  // Threads of one object at once; what is more waits.
  static constexpr std::size_t kMostThreads = 32;

  explicit DiskThreads(uv_loop_s* loop);
  // Closes; the loop has to turn once more then.
  ~DiskThreads();
  DiskThreads(const DiskThreads&) = delete;
  DiskThreads& operator=(const DiskThreads&) = delete;

  uv_loop_s* loop() const { return loop_; }
  // Does `work` on a thread, then calls `done` on the loop, which stays open until then. `work` may
  // use only what it owns or shares: it may end after this object does.
  void run(std::function<void()> work, std::function<void()> done);
  // Calls no `done` any more, and waits for nothing: what has not begun is done when a thread comes
  // to it. on_closed comes from the loop.
  void close(std::function<void()> on_closed);

 private:
  struct Shared;
  void deliver();
  void begin_thread();

  uv_loop_s* loop_;
  std::shared_ptr<Shared> shared_;
  std::uint64_t last_ = 0;
  std::unordered_map<std::uint64_t, std::function<void()>> done_;
  std::function<void()> on_closed_;
};

}  // namespace gibbous
