// A sub-command's loop: let the runtime work, look at what came of it, then rest in poll(2) until
// the runtime or one of the sub-command's own descriptors has something. Main thread.
#pragma once

#include <poll.h>

#include <chrono>
#include <optional>
#include <span>

#include "gibbous/runtime.h"

namespace gibbous::cli {

// Does what is due, for a bounded time. True while there is more that could be done at once.
bool work(Runtime& runtime);

// Waits `limit` at most; none: as long as it takes; not at all when there is `more` to do. The
// revents of `descriptors` are filled in. To be called right after work(): callbacks come from
// there, and whoever rests without looking at what they left sleeps on it.
void rest(Runtime& runtime, bool more, std::span<pollfd> descriptors,
          std::optional<std::chrono::milliseconds> limit);

}  // namespace gibbous::cli
