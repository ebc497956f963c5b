// fork() and posix_spawn() for tests and fixtures: a machine under load may refuse a process for a
// moment.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <ctime>

namespace gibbous::testing {

// Calls `start`, which returns 0 or an errno, again for ten seconds while the system is out of
// processes or memory.
template <typename Start>
int patiently(const Start& start) {
  constexpr int kTries = 1000;
  constexpr long kPauseNanos = 10'000'000;
  for (int tries = 1;; ++tries) {
    const int error = start();
    if ((error != EAGAIN && error != ENOMEM) || tries == kTries) return error;
    const timespec pause{0, kPauseNanos};
    ::nanosleep(&pause, nullptr);
  }
}

// As fork(), but patient.
inline pid_t patient_fork() {
  pid_t child = -1;
  const int error = patiently([&child] { return (child = ::fork()) < 0 ? errno : 0; });
  if (error != 0) errno = error;
  return child;
}

}  // namespace gibbous::testing
