#include "runtime/journal/owed_answers.h"

namespace gibbous {

std::uint64_t OwedAnswers::State::add(Refusal refusal) {
  const std::lock_guard lock(mutex);
  open[++last] = std::move(refusal);
  return last;
}

bool OwedAnswers::State::take(std::uint64_t number) {
  Refusal dropped;  // destroyed without the lock
  const std::lock_guard lock(mutex);
  const auto found = open.find(number);
  if (found == open.end()) return false;
  dropped = std::move(found->second);
  open.erase(found);
  return true;
}

void OwedAnswers::State::give_up(const Status& status) {
  std::unordered_map<std::uint64_t, Refusal> owed;
  {
    const std::lock_guard wait(calling);
    const std::lock_guard lock(mutex);
    owed.swap(open);
  }
  for (const auto& [number, refuse] : owed) refuse(status);
}

}  // namespace gibbous
