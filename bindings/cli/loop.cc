// See loop.h.
#include "bindings/cli/loop.h"

#include <algorithm>
#include <climits>
#include <vector>

namespace gibbous::cli {
namespace {

using std::chrono::milliseconds;

// Long enough for real work, short enough that a flood of output does not delay a cancel.
constexpr std::chrono::microseconds kTurnTime{5'000};
constexpr int kNoLimit = -1;

int as_poll_timeout(std::optional<milliseconds> time) {
  if (!time) return kNoLimit;
  return static_cast<int>(std::clamp<milliseconds::rep>(time->count(), 0, INT_MAX));
}

std::optional<milliseconds> sooner(std::optional<milliseconds> left,
                                   std::optional<milliseconds> right) {
  if (!left) return right;
  if (!right) return left;
  return std::min(*left, *right);
}

}  // namespace

bool work(Runtime& runtime, bool passed_on) {
  PollBudget budget;
  budget.wall = kTurnTime;
  budget.passed_on = passed_on;
  return runtime.poll(budget);
}

void rest(Runtime& runtime, bool more, std::span<pollfd> descriptors,
          std::optional<milliseconds> limit) {
  const auto timeout = more ? milliseconds{0} : sooner(limit, runtime.next_timeout());
  std::vector<pollfd> all(descriptors.begin(), descriptors.end());
  all.push_back({runtime.backend_fd(), POLLIN, 0});
  // An interrupted wait counts as one without events.
  if (::poll(all.data(), all.size(), as_poll_timeout(timeout)) < 0) {
    for (pollfd& descriptor : all) descriptor.revents = 0;
  }
  std::copy_n(all.begin(), descriptors.size(), descriptors.begin());
}

}  // namespace gibbous::cli
