// ExitGuard: makes sure that the process ends soon after its client has gone or it was told to
// stop, even while the loop thread is busy in a script or in the policy. A small thread watches the
// same descriptors and ends the process when the orderly shutdown takes too long; the keeper then
// kills the runs. For a program that serves one client (`gibbous mcp`), never for a library.
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "runtime/base/unique_fd.h"

namespace gibbous::mcp {

// Clients wait about 100 ms before they kill the server. An orderly shutdown takes less than this.
inline constexpr std::chrono::milliseconds kExitLimit{60};
// Input that ends before the server serves comes from a pipe of a shell, where nobody is about to
// kill anything, and has requests that are to be answered.
inline constexpr std::chrono::milliseconds kEarlyEndLimit{2'000};

class ExitGuard {
 public:
  // Watches `input_fd` for the end of the client and `stop_fd` for readability; both are borrowed.
  // Create it after the program has blocked its signals, because its thread inherits the mask.
  ExitGuard(int input_fd, int stop_fd, std::chrono::milliseconds limit = kExitLimit);
  // Dismisses the guard: the process ends in time by itself.
  ~ExitGuard();
  ExitGuard(const ExitGuard&) = delete;
  ExitGuard& operator=(const ExitGuard&) = delete;

  // The program serves now: until here, the end of the input counts with kEarlyEndLimit. Any
  // thread.
  void serving() { serving_ = true; }

  // From now on the shutdown waits for a disk: what the guard says on stderr when that is what
  // takes too long. Once; any thread.
  void waits_for_disk(const std::string& problem);

 private:
  void watch(int input_fd, int stop_fd, std::chrono::milliseconds limit) const;

  UniqueFd done_;  // readable when the guard is dismissed
  std::string problem_;
  std::atomic<bool> waits_for_disk_{false};
  std::atomic<bool> serving_{false};
  std::thread thread_;
};

}  // namespace gibbous::mcp
