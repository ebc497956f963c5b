#include "runtime/recording/kept_output.h"

#include <utility>

namespace gibbous {

void KeptOutput::given(const std::string& run_id, const Marks& to, bool end) {
  Given& given = given_[run_id];
  given.to = to;
  given.end = given.end || end;
  if (end) runs_.cancel(timer_);
  arm(end ? Millis{0} : kKeptInterval);
}

void KeptOutput::arm(Millis delay) {
  if (asking_ || timer_ != 0) return;
  timer_ = runs_.after(delay, [this] {
    timer_ = 0;
    ask();
  });
}

void KeptOutput::ask() {
  asking_ = true;
  asked_ = std::exchange(given_, {});
  flush_([this, alive = std::weak_ptr<bool>(alive_)](const Status& status) {
    if (!alive.expired()) answer(status);
  });
}

void KeptOutput::answer(const Status& status) {
  asking_ = false;
  bool ends = false;
  for (const auto& [id, given] : std::exchange(asked_, {})) {
    if (status) {
      runs_.recorded(id, given.to, given.end);
    } else {
      given_.try_emplace(id, given);  // newer figures replace it
    }
  }
  for (const auto& [id, given] : given_) ends = ends || given.end;
  if (!given_.empty()) arm(status && ends ? Millis{0} : kKeptInterval);
}

}  // namespace gibbous
