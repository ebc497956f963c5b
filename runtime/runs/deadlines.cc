// One uv_timer_t, armed for the earliest deadline.
#include "runtime/runs/deadlines.h"

#include <uv.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace gibbous {
namespace {

constexpr Nanos kMilli{1'000'000};
// A timer that fires later than this found the host standing still.
constexpr std::uint64_t kLateMillis = 20;
// Time for the loop, and for a keeper that stood still as well, to bring what came in time.
constexpr Millis kLook{50};

}  // namespace

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
  by_token_[token] = entries_.emplace(at, Entry{token, delay > Nanos{0}, std::move(fire)});
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
  looking_ = false;
  set_timer(std::max(Nanos{0}, entries_.begin()->first - clock_.now()));
}

void Deadlines::set_timer(Nanos delay) {
  const auto millis = static_cast<std::uint64_t>((delay + kMilli - Nanos{1}) / kMilli);
  uv_update_time(timer_->loop);  // or a long turn would make the deadline early
  timer_at_ = uv_now(timer_->loop) + millis;
  uv_timer_start(
      timer_, [](uv_timer_t* timer) noexcept { static_cast<Deadlines*>(timer->data)->fire_due(); },
      millis, 0);
}

void Deadlines::fire_due() {
  const bool late = !looking_ && uv_now(timer_->loop) > timer_at_ + kLateMillis;
  // A callback may add and cancel deadlines; those added now wait for the next turn.
  const Nanos now = clock_.now();
  const Token newest = last_token_;
  auto next = entries_.begin();
  while (!closed_ && next != entries_.end() && next->first <= now) {
    if (next->second.token > newest || (late && next->second.waits)) {
      ++next;
      continue;
    }
    const auto fire = std::move(next->second.fire);
    by_token_.erase(next->second.token);
    entries_.erase(next);
    fire();
    next = entries_.begin();
  }
  if (closed_) return;
  arm();
  looking_ = late && !entries_.empty();
  if (looking_) set_timer(kLook);
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
