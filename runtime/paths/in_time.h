// What looks at a path, done here where nothing can leave it waiting, and otherwise on a thread
// that is given up when it takes too long. For those who need the bytes of a file and have no loop;
// a thread that hangs keeps its process from ending, so ask answers_within() (patience.h) first.
// Any thread.
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace gibbous::paths {

class MountTable;  // mount_types.h

// At most so many threads of this process may hang at once; beyond that, nothing on such mounts is
// done.
inline constexpr int kMostHanging = 8;

// Returns true once `work`, which looks at `absolute`, is done; false when it is not in that time:
// then it goes on alone, so it must own what it uses.
bool in_time(const std::string& absolute, const MountTable& mounts,
             std::chrono::milliseconds patience, std::function<void()> work);

}  // namespace gibbous::paths
