// ExitGuard: makes sure that the process is gone soon after its client is, or after it was told to
// stop, even when the loop thread cannot look: inside a script that does not yield, or a policy at
// its time limit. A small thread watches the same descriptors and ends the process when the orderly
// way takes too long; the keeper then ends what runs. For a program whose whole business is one
// client (`gibbous mcp`), never for a library.
#pragma once

#include <chrono>
#include <thread>

#include "runtime/base/unique_fd.h"

namespace gibbous::mcp {

// Clients wait about 100 ms before they use force. The orderly way takes less than this.
inline constexpr std::chrono::milliseconds kExitLimit{60};

class ExitGuard {
 public:
  // Watches `input_fd` for a client that has gone and `stop_fd` for readability; both are borrowed.
  // Make it after the program's signals are blocked: its thread inherits the mask.
  ExitGuard(int input_fd, int stop_fd, std::chrono::milliseconds limit = kExitLimit);
  // The process ends in time without it.
  ~ExitGuard();
  ExitGuard(const ExitGuard&) = delete;
  ExitGuard& operator=(const ExitGuard&) = delete;

 private:
  void watch(int input_fd, int stop_fd, std::chrono::milliseconds limit) const;

  UniqueFd done_;  // readable: the guard is not needed any more
  std::thread thread_;
};

}  // namespace gibbous::mcp
