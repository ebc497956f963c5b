#include "runtime/recording/alarms.h"

#include <uv.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace gibbous {

Alarms::Alarms(uv_loop_s* loop) : loop_(loop), timer_(new uv_timer_t) {
  uv_timer_init(loop_, timer_);
  timer_->data = this;
  uv_unref(reinterpret_cast<uv_handle_t*>(timer_));
}

int Alarms::set(Millis after, std::function<void()> then) {
  return look(after, [then = std::move(then)] {
    then();
    return Millis(0);
  });
}

int Alarms::look(Millis after, std::function<Millis()> look) {
  if (timer_ == nullptr) return 0;
  uv_update_time(loop_);
  alarms_[++last_] = {uv_now(loop_) + static_cast<std::uint64_t>(after.count()), std::move(look)};
  arm();
  return last_;
}

void Alarms::clear(int alarm) {
  if (alarms_.erase(alarm) > 0) arm();
}

void Alarms::close() {
  alarms_.clear();
  if (timer_ == nullptr) return;
  uv_close(reinterpret_cast<uv_handle_t*>(std::exchange(timer_, nullptr)),
           [](uv_handle_t* handle) noexcept { delete reinterpret_cast<uv_timer_t*>(handle); });
}

void Alarms::arm() {
  if (timer_ == nullptr) return;
  uv_timer_stop(timer_);
  if (alarms_.empty()) return;
  const auto first = std::min_element(
      alarms_.begin(), alarms_.end(),
      [](const auto& one, const auto& other) { return one.second.due < other.second.due; });
  const std::uint64_t now = uv_now(loop_);
  const std::uint64_t due = first->second.due;
  uv_timer_start(
      timer_, [](uv_timer_t* timer) noexcept { static_cast<Alarms*>(timer->data)->ring(); },
      due > now ? due - now : 0, 0);
}

// A callback may clear and set alarms, or close this.
void Alarms::ring() {
  std::vector<int> due;
  for (const auto& [number, alarm] : alarms_) {
    if (alarm.due <= uv_now(loop_)) due.push_back(number);
  }
  for (const int number : due) {
    const auto found = alarms_.find(number);
    if (found == alarms_.end()) continue;
    auto look = std::move(found->second.look);
    const Millis after = look();
    const auto still = alarms_.find(number);
    if (still == alarms_.end()) continue;
    if (after == Millis(0)) {
      alarms_.erase(still);
    } else {
      still->second = {uv_now(loop_) + static_cast<std::uint64_t>(after.count()), std::move(look)};
    }
  }
  arm();
}

}  // namespace gibbous
