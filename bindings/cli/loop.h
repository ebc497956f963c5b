// The loop of a sub-command: lets the runtime work, then waits in poll(2) for the runtime or one of
// the sub-command's descriptors. Main thread.
#pragma once

#include <poll.h>

#include <chrono>
#include <optional>
#include <span>

#include "gibbous/runtime.h"

namespace gibbous::cli {

// Works for a bounded time. True when there is more to do at once. `passed_on`: see PollBudget.
bool work(Runtime& runtime, bool passed_on = true);

// Waits for at most `limit`, or without a limit; does not wait when there is `more` to do. Fills in
// the revents of `descriptors`. Call it only after handling what the callbacks of work() left.
void rest(Runtime& runtime, bool more, std::span<pollfd> descriptors,
          std::optional<std::chrono::milliseconds> limit);

}  // namespace gibbous::cli
