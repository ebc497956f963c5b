#include "runtime/recording/mailbox.h"

#include <uv.h>

#include <cassert>
#include <utility>

namespace gibbous {

Mailbox::Mailbox(uv_loop_s* loop) : async_(new uv_async_t) {
  const int error = uv_async_init(loop, async_, [](uv_async_t* handle) noexcept {
    static_cast<Mailbox*>(handle->data)->deliver();
  });
  assert(error == 0);
  static_cast<void>(error);
  async_->data = this;
  uv_unref(reinterpret_cast<uv_handle_t*>(async_));
}

Mailbox::~Mailbox() {
  assert(async_ == nullptr);
}

void Mailbox::post(std::function<void()> work) {
  const std::lock_guard lock(mutex_);
  if (closed_) return;
  posted_.push_back(std::move(work));
  uv_async_send(async_);
}

void Mailbox::deliver() {
  std::vector<std::function<void()>> due;
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    due.swap(posted_);
  }
  for (const auto& work : due) {
    work();
    const std::lock_guard lock(mutex_);
    if (closed_) return;
  }
}

void Mailbox::hold_loop() {
  uv_ref(reinterpret_cast<uv_handle_t*>(async_));
}

void Mailbox::close(std::function<void()> on_closed) {
  std::vector<std::function<void()>> dropped;  // destroyed without the lock
  const std::lock_guard lock(mutex_);
  closed_ = true;
  dropped.swap(posted_);
  on_closed_ = std::move(on_closed);
  uv_close(reinterpret_cast<uv_handle_t*>(async_), [](uv_handle_t* handle) noexcept {
    auto* self = static_cast<Mailbox*>(handle->data);
    delete reinterpret_cast<uv_async_t*>(handle);
    self->async_ = nullptr;
    // The callback may delete this.
    if (const auto done = std::exchange(self->on_closed_, nullptr)) done();
  });
}

}  // namespace gibbous
