// Mailbox: work that other threads send to the loop. Any thread may call post(); everything else
// belongs to the loop's thread. It does not keep a loop alive by itself.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

struct uv_async_s;
struct uv_loop_s;

namespace gibbous {

class Mailbox {
 public:
  explicit Mailbox(uv_loop_s* loop);
  // Call close() first.
  ~Mailbox();
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  using Post = std::function<void(std::function<void()> work)>;
  // `work` runs on the loop, in the order of the posts; work posted after close() is dropped.
  void post(std::function<void()> work) { shared_->post(std::move(work)); }
  // The same for a thread that may outlive this object.
  Post poster() const {
    return [shared = shared_](std::function<void()> work) { shared->post(std::move(work)); };
  }
  // Makes it keep the loop alive.
  void hold_loop();
  // Drops waiting work; on_closed comes from the loop.
  void close(std::function<void()> on_closed);

 private:
  struct Shared {
    void post(std::function<void()> work);

    uv_async_s* async = nullptr;  // freed in its close callback; null once closed
    std::mutex mutex;             // of all below
    std::vector<std::function<void()>> posted;
    bool closed = false;
  };
  void deliver();

  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
  std::function<void()> on_closed_;
};

}  // namespace gibbous
