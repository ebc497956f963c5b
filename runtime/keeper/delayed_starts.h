// DelayedStarts: starts for which the system had no process or no memory, until they are tried
// again. A machine under load refuses a process for a moment; the keeper serves everything else
// meanwhile. Pure: the server tries them. Keeper only.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>

#include "runtime/base/unique_fd.h"
#include "runtime/keeper/kill_job.h"
#include "runtime/keeper/wire.h"

namespace gibbous::keeper {

// A start is tried again after 5, 10, 20, 40 and 80 ms.
inline constexpr int kStartRetries = 5;
inline constexpr std::chrono::milliseconds kFirstStartPause{5};
inline constexpr std::size_t kMaxDelayedStarts = 64;

struct DelayedStart {
  RunKey run = 0;
  wire::Buffer body;  // of its message
  UniqueFd strings;   // the memfd of strings that are not in the message
  int retries = 0;    // made so far
  Time due{};
};

class DelayedStarts {
 public:
  // Whether the failure may be over in a moment.
  static bool is_momentary(const StartFailure& failure);

  // False: it has been tried often enough, or too many others wait; it is left as it was.
  bool delay(DelayedStart& start, Time now);
  // Takes one that is due.
  std::optional<DelayedStart> take_due(Time now);
  // Takes the start of this run.
  std::optional<DelayedStart> take(RunKey run);
  bool contains(RunKey run) const;
  Time due() const;  // of the next; Time::max() when there is none
  void clear() { starts_.clear(); }

 private:
  std::deque<DelayedStart> starts_;
};

}  // namespace gibbous::keeper
