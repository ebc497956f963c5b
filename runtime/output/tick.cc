// Tick: setting a timerfd again also clears its expiry, so a tick costs one system call.
#include "runtime/output/tick.h"

#include <sys/timerfd.h>

#include <algorithm>

namespace gibbous {

using std::chrono::nanoseconds;

Tick::Tick(uv_loop_t* loop, Owner& owner)
    : owner_(owner), fd_(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)), handle_{} {
  const auto on_poll = [](uv_poll_t* handle, int, int) noexcept {
    static_cast<Tick*>(handle->data)->fire();
  };
  if (fd_ && uv_poll_init(loop, &handle_.poll, fd_.get()) == 0) {
    static_cast<void>(uv_poll_start(&handle_.poll, UV_READABLE, on_poll));
  } else {
    fd_.reset();
    static_cast<void>(uv_timer_init(loop, &handle_.timer));
  }
  handle_.any.data = this;
  uv_unref(&handle_.any);  // like the readers that it serves
}

void Tick::arm(nanoseconds delay) {
  set_timer(std::max(delay, nanoseconds{1}));  // 0 would disarm
  armed_ = true;
}

void Tick::disarm() {
  if (!armed_) return;
  armed_ = false;
  set_timer(nanoseconds{0});
}

void Tick::set_timer(nanoseconds delay) {
  if (fd_) {
    constexpr nanoseconds kSecond = std::chrono::seconds{1};
    itimerspec when{};
    when.it_value.tv_sec = static_cast<time_t>(delay / kSecond);
    when.it_value.tv_nsec = static_cast<long>((delay % kSecond).count());
    static_cast<void>(::timerfd_settime(fd_.get(), 0, &when, nullptr));
    return;
  }
  static_cast<void>(uv_timer_stop(&handle_.timer));
  if (delay.count() == 0) return;
  const auto on_timer = [](uv_timer_t* handle) noexcept {
    static_cast<Tick*>(handle->data)->fire();
  };
  const auto whole = std::chrono::ceil<std::chrono::milliseconds>(delay);
  static_cast<void>(
      uv_timer_start(&handle_.timer, on_timer, static_cast<std::uint64_t>(whole.count()), 0));
}

void Tick::fire() {
  if (armed_) owner_.on_tick();
}

void Tick::close() {
  disarm();
  uv_close(&handle_.any, [](uv_handle_t* handle) noexcept {
    static_cast<Tick*>(handle->data)->owner_.on_tick_closed();
  });
  fd_.reset();
}

}  // namespace gibbous
