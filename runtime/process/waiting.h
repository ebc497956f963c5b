// Finds out whether a process waits for input, from the system calls that block its threads: a part
// of usage.h. Any thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>

namespace gibbous {

struct LivingProcess {
  pid_t pid = 0;
  char state = '?';  // of its first thread, as in /proc/PID/stat
  std::uint32_t threads = 1;
};

// A pipe, or any other kind of stdin.
struct InputFile {
  dev_t device = 0;
  ino_t inode = 0;  // 0: there is none
};

// kBest uses the system call, or the kernel function where the call may not be read (Yama, hardened
// kernels). kPlace alone is for tests.
enum class WaitSource : std::uint8_t { kBest, kPlace };

struct InputWait {
  pid_t pid = 0;  // 0: no process is known to wait
  int fd = -1;
  bool stopped = false;  // SIGTTIN: it reads a terminal that another process group owns
};

// Returns the first process with a thread that is blocked while reading `input` or a terminal, or
// while waiting for only that to become readable. A descriptor with which an event loop wakes
// itself (an eventfd, a pipe of which it has both ends) does not count; any other does.
InputWait find_input_wait(std::span<const LivingProcess> processes, const InputFile& input,
                          WaitSource source);

}  // namespace gibbous
