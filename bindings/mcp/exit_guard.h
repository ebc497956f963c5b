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

class ExitGuard {
 public:
  // Watches `input_fd` for the end of the client and `stop_fd` for readability, and `output_fd` for
  // the loss of its reader once the input has ended; all are borrowed. Create it after the program
  // has blocked its signals, because its thread inherits the mask.
  ExitGuard(int input_fd, int output_fd, int stop_fd, std::chrono::milliseconds limit = kExitLimit);
  // Dismisses the guard: the process ends in time by itself.
  ~ExitGuard();
  ExitGuard(const ExitGuard&) = delete;
  ExitGuard& operator=(const ExitGuard&) = delete;

  // The program serves now. Until here, and with `is_batch` afterwards (StdioOptions::on_serving),
  // the end of the input is no end of the client: its requests are to be answered, which may take
  // long. Its end is the loss of the output's reader then. Any thread.
  void serving(bool is_batch);

  // From now on the shutdown waits for a disk: what the guard says on stderr when that is what
  // takes too long. Once; any thread.
  void waits_for_disk(const std::string& problem);

 private:
  void watch(int input_fd, int output_fd, int stop_fd, std::chrono::milliseconds limit) const;

  UniqueFd nothing_;          // takes the place of what is let go of at the end
  UniqueFd done_;             // readable when the guard is dismissed
  UniqueFd ends_with_input_;  // readable when serving() has said so
  std::string problem_;
  std::atomic<bool> waits_for_disk_{false};
  std::thread thread_;
};

}  // namespace gibbous::mcp
