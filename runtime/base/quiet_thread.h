// A thread that receives no signals: a host that handles signals gets them on a thread of its own.
#pragma once

#include <functional>
#include <thread>

namespace gibbous {

// Throws std::system_error when this user or this group may have no thread more.
std::thread quiet_thread(std::function<void()> work);

}  // namespace gibbous
