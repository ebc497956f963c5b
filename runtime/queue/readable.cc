#include "runtime/queue/readable.h"

#include <uv.h>

#include <memory>
#include <utility>

namespace gibbous {

struct Readable::Poll {
  uv_poll_t handle{};
  UniqueFd fd;
  Readable* owner = nullptr;  // null while it is being closed

  static void on_readable(uv_poll_t* handle, int /*status*/, int /*events*/) noexcept {
    Readable* owner = static_cast<Poll*>(handle->data)->owner;
    if (owner == nullptr) return;
    const auto call = owner->on_readable_;  // a copy, because it may destroy the owner
    call();
  }
};

Readable::Readable(uv_loop_s* loop, std::function<void()> on_readable)
    : loop_(loop), on_readable_(std::move(on_readable)) {}

Readable::~Readable() {
  stop();
}

void Readable::stop() {
  Poll* poll = std::exchange(poll_, nullptr);
  if (poll == nullptr) return;
  poll->owner = nullptr;
  uv_close(reinterpret_cast<uv_handle_t*>(&poll->handle),
           [](uv_handle_t* handle) noexcept { delete static_cast<Poll*>(handle->data); });
}

bool Readable::watch(UniqueFd fd) {
  stop();
  auto poll = std::make_unique<Poll>();
  poll->fd = std::move(fd);
  if (uv_poll_init(loop_, &poll->handle, poll->fd.get()) != 0) return false;
  poll->owner = this;
  poll->handle.data = poll.get();
  poll_ = poll.release();
  uv_unref(reinterpret_cast<uv_handle_t*>(&poll_->handle));
  if (uv_poll_start(&poll_->handle, UV_READABLE, Poll::on_readable) == 0) return true;
  stop();
  return false;
}

}  // namespace gibbous
