// Whether a file system answers, for those who have to know at once and have no loop. Any thread.
#pragma once

#include <chrono>
#include <string>

namespace gibbous::paths {

// Opens what is at the path and reads a little, in a process of its own where that may take long.
// Returns false when there was no answer in that time; the process is left to its wait then, and is
// no child of the caller's. What does not exist answers, too.
bool answers_within(const std::string& absolute, std::chrono::milliseconds patience);

}  // namespace gibbous::paths
