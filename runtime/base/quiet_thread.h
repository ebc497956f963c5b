// A thread that receives no signals: a host that handles signals gets them on a thread of its own.
#pragma once

#include <functional>
#include <thread>

namespace gibbous {

// The name of threads that read and write files of the state directory, as /proc and debuggers show
// it (15 bytes at most).
inline constexpr char kDiskThread[] = "gibbous-disk";

// Throws std::system_error when this user or this group may have no thread more.
std::thread quiet_thread(std::function<void()> work);
// The same with a name, which must last for ever.
std::thread quiet_thread(const char* name, std::function<void()> work);
// Starts one that goes on alone. False where there can be none.
bool start_quiet_thread(std::function<void()> work);

}  // namespace gibbous
