// One uv_timer_t, armed for the earliest deadline.
#include "runtime/runs/deadlines.h"

#include <uv.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace gibbous {

Deadlines::Deadlines(uv_loop_s* loop, const Clock& clock) : clock_(clock), timer_(new uv_timer_t) {
  uv_timer_init(loop, timer_);  // cannot fail
  timer_->data = this;
  uv_unref(reinterpret_cast<uv_handle_t*>(timer_));
}

Deadlines::~Deadlines() {
  if (!closed_) close(nullptr);
}

Deadlines::Token Deadlines::after(Nanos delay, std::function<void()> fire) {
  if (closed_) return 0;
  const Token token = ++last_token_;
  const auto at = clock_.now() + delay;
  by_token_[token] = entries_.emplace(at, Entry{token, std::move(fire)});
  if (entries_.begin()->second.token == token) arm();
  return token;
}

void Deadlines::cancel(Token& token) {
  const auto found = by_token_.find(std::exchange(token, 0));
  if (found == by_token_.end()) return;
  entries_.erase(found->second);
  by_token_.erase(found);
  if (entries_.empty() && !closed_) uv_timer_stop(timer_);
}

void Deadlines::arm() {
  if (closed_) return;
  if (entries_.empty()) {
    uv_timer_stop(timer_);
    return;
  }
  constexpr Nanos kMilli{1'000'000};
  const Nanos left = std::max(Nanos{0}, entries_.begin()->first - clock_.now());
  const auto millis = static_cast<std::uint64_t>((left + kMilli - Nanos{1}) / kMilli);
  uv_update_time(timer_->loop);  // or a long turn would make the deadline early
  uv_timer_start(
      timer_, [](uv_timer_t* timer) noexcept { static_cast<Deadlines*>(timer->data)->fire_due(); },
      millis, 0);
}

void Deadlines::fire_due() {
  // A callback may add and cancel deadlines; those added now wait for the next turn.
  const Nanos now = clock_.now();
  const Token newest = last_token_;
  while (!closed_ && !entries_.empty() && entries_.begin()->first <= now) {
    auto first = entries_.begin();
    while (first != entries_.end() && first->first <= now && first->second.token > newest) ++first;
    if (first == entries_.end() || first->first > now) break;
    const auto fire = std::move(first->second.fire);
    by_token_.erase(first->second.token);
    entries_.erase(first);
    fire();
  }
  arm();
}

void Deadlines::close(std::function<void()> on_closed) {
  closed_ = true;
  entries_.clear();
  by_token_.clear();
  auto* callback = new std::function<void()>(std::move(on_closed));
  timer_->data = callback;
  uv_close(reinterpret_cast<uv_handle_t*>(timer_), [](uv_handle_t* handle) noexcept {
    std::unique_ptr<std::function<void()>> done(static_cast<std::function<void()>*>(handle->data));
    delete reinterpret_cast<uv_timer_t*>(handle);
    if (*done) (*done)();
  });
  timer_ = nullptr;
}

}  // namespace gibbous
