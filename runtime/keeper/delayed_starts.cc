#include "runtime/keeper/delayed_starts.h"

#include <algorithm>
#include <cerrno>
#include <utility>

namespace gibbous::keeper {

bool DelayedStarts::is_momentary(const StartFailure& failure) {
  return failure.step == StartStep::kFork && (failure.error == EAGAIN || failure.error == ENOMEM);
}

bool DelayedStarts::delay(DelayedStart& start, Time now) {
  if (start.retries >= kStartRetries || starts_.size() >= kMaxDelayedStarts) return false;
  start.due = now + kFirstStartPause * (1 << start.retries);
  ++start.retries;
  starts_.push_back(std::move(start));
  return true;
}

std::optional<DelayedStart> DelayedStarts::take_due(Time now) {
  const auto found = std::find_if(starts_.begin(), starts_.end(),
                                  [now](const DelayedStart& start) { return start.due <= now; });
  if (found == starts_.end()) return std::nullopt;
  std::optional<DelayedStart> taken = std::move(*found);
  starts_.erase(found);
  return taken;
}

std::optional<DelayedStart> DelayedStarts::take(RunKey run) {
  const auto found = std::find_if(starts_.begin(), starts_.end(),
                                  [run](const DelayedStart& start) { return start.run == run; });
  if (found == starts_.end()) return std::nullopt;
  std::optional<DelayedStart> taken = std::move(*found);
  starts_.erase(found);
  return taken;
}

bool DelayedStarts::contains(RunKey run) const {
  return std::any_of(starts_.begin(), starts_.end(),
                     [run](const DelayedStart& start) { return start.run == run; });
}

Time DelayedStarts::due() const {
  Time due = Time::max();
  for (const DelayedStart& start : starts_) due = std::min(due, start.due);
  return due;
}

}  // namespace gibbous::keeper
