#include "runtime/recording/mailbox.h"

#include <uv.h>

#include <cassert>
#include <utility>

namespace gibbous {

Mailbox::Mailbox(uv_loop_s* loop) {
  uv_async_t* const async = shared_->async = new uv_async_t;
  const int error = uv_async_init(loop, async, [](uv_async_t* handle) noexcept {
    static_cast<Mailbox*>(handle->data)->deliver();
  });
  assert(error == 0);
  static_cast<void>(error);
  async->data = this;
  uv_unref(reinterpret_cast<uv_handle_t*>(async));
}

Mailbox::~Mailbox() {
  assert(shared_->async == nullptr);
}

void Mailbox::Shared::post(std::function<void()> work) {
  const std::lock_guard lock(mutex);
  if (closed) return;
  posted.push_back(std::move(work));
  uv_async_send(async);
}

void Mailbox::deliver() {
  const std::shared_ptr<Shared> shared = shared_;  // work may close and delete this
  std::vector<std::function<void()>> due;
  {
    const std::lock_guard lock(shared->mutex);
    if (shared->closed) return;
    due.swap(shared->posted);
  }
  for (const auto& work : due) {
    work();
    const std::lock_guard lock(shared->mutex);
    if (shared->closed) return;
  }
}

void Mailbox::hold_loop() {
  uv_ref(reinterpret_cast<uv_handle_t*>(shared_->async));
}

void Mailbox::close(std::function<void()> on_closed) {
  std::vector<std::function<void()>> dropped;  // destroyed without the lock
  const std::lock_guard lock(shared_->mutex);
  shared_->closed = true;
  dropped.swap(shared_->posted);
  on_closed_ = std::move(on_closed);
  uv_close(reinterpret_cast<uv_handle_t*>(shared_->async), [](uv_handle_t* handle) noexcept {
    auto* self = static_cast<Mailbox*>(handle->data);
    delete reinterpret_cast<uv_async_t*>(handle);
    self->shared_->async = nullptr;
    // The callback may delete this.
    if (const auto done = std::exchange(self->on_closed_, nullptr)) done();
  });
}

}  // namespace gibbous
