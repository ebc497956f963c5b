#include "bindings/lua/vm/one_shot_timer.h"

#include <uv.h>

#include <utility>

namespace gibbous::lua {

struct OneShotTimer::Handle {
  uv_timer_t timer{};
  OneShotTimer* owner = nullptr;
  std::function<void()> on_time;

  static void on_timer(uv_timer_t* timer) noexcept {
    auto* self = static_cast<Handle*>(timer->data);
    const auto on_time = std::move(self->on_time);
    self->owner->stop();
    on_time();
  }
  static void on_close(uv_handle_t* handle) noexcept { delete static_cast<Handle*>(handle->data); }
};

void OneShotTimer::start(uv_loop_s* loop, Millis delay, bool background,
                         std::function<void()> on_time) {
  stop();
  handle_ = new Handle;
  handle_->owner = this;
  handle_->on_time = std::move(on_time);
  uv_timer_init(loop, &handle_->timer);
  handle_->timer.data = handle_;
  if (background) uv_unref(reinterpret_cast<uv_handle_t*>(&handle_->timer));
  // The loop's "now" may be older than a long script, and it is rounded down, which would shorten
  // the delay.
  uv_update_time(loop);
  const auto wait = static_cast<std::uint64_t>(delay.count() <= 0 ? 0 : delay.count() + 1);
  uv_timer_start(&handle_->timer, &Handle::on_timer, wait, 0);
}

void OneShotTimer::stop() {
  if (handle_ == nullptr) return;
  Handle* handle = std::exchange(handle_, nullptr);
  uv_close(reinterpret_cast<uv_handle_t*>(&handle->timer), &Handle::on_close);
}

}  // namespace gibbous::lua
