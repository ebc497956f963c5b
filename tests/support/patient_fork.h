// fork() for tests and fixtures: a machine under other load may refuse a process for a moment.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <ctime>

namespace gibbous::testing {

// As fork(), but tries again for ten seconds while the system is out of processes or memory.
inline pid_t patient_fork() {
  constexpr int kTries = 1000;
  constexpr long kPauseNanos = 10'000'000;
  for (int tries = 1;; ++tries) {
    const pid_t child = ::fork();
    if (child >= 0 || (errno != EAGAIN && errno != ENOMEM) || tries == kTries) return child;
    const timespec pause{0, kPauseNanos};
    ::nanosleep(&pause, nullptr);
  }
}

}  // namespace gibbous::testing
