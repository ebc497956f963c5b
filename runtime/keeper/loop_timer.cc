// The handle outlives its LoopTimer until libuv releases it.
#include "runtime/keeper/loop_timer.h"

namespace gibbous {

struct LoopTimer::Handle {
  uv_timer_t timer{};
  OpenHandles* handles = nullptr;
  std::function<void()> on_time;

  static void on_uv_timer(uv_timer_t* timer) noexcept {
    // A copy, because on_time may destroy its own holder.
    const auto on_time = static_cast<Handle*>(timer->data)->on_time;
    on_time();
  }
  static void on_uv_closed(uv_handle_t* timer) noexcept {
    auto* handle = static_cast<Handle*>(timer->data);
    OpenHandles* handles = handle->handles;
    delete handle;
    handles->closed();
  }
};

LoopTimer::LoopTimer(uv_loop_t* loop, OpenHandles& handles, std::function<void()> on_time)
    : handle_(new Handle) {
  handle_->handles = &handles;
  handle_->on_time = std::move(on_time);
  uv_timer_init(loop, &handle_->timer);
  handle_->timer.data = handle_;
  handles.opened();
}

LoopTimer::~LoopTimer() {
  uv_close(reinterpret_cast<uv_handle_t*>(&handle_->timer), Handle::on_uv_closed);
}

void LoopTimer::start(Millis delay) {
  uv_timer_start(&handle_->timer, Handle::on_uv_timer, static_cast<std::uint64_t>(delay.count()),
                 0);
}

void LoopTimer::unref() {
  uv_unref(reinterpret_cast<uv_handle_t*>(&handle_->timer));
}

void LoopTimer::stop() {
  uv_timer_stop(&handle_->timer);
}

}  // namespace gibbous
