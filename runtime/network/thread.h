// A thread that nobody waits for. Keeper only.
#pragma once

#include <functional>

namespace gibbous::network {

// False where none can be made.
bool start_thread(std::function<void()> work);

}  // namespace gibbous::network
