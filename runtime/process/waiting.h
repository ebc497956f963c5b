// Whether a process waits for input, by what the kernel says that its threads are blocked in: a
// part of usage.h. Any thread.
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

// A pipe, or whatever else stdin is.
struct InputFile {
  dev_t device = 0;
  ino_t inode = 0;  // 0: there is none
};

// kBest is the system call, or the place in the kernel where that may not be read (Yama, hardened
// kernels). kPlace alone is for tests.
enum class WaitSource : std::uint8_t { kBest, kPlace };

struct InputWait {
  pid_t pid = 0;  // 0: nobody is known to wait
  int fd = -1;
  bool stopped = false;  // SIGTTIN: it reads a terminal that another process group owns
};

// The first process with a thread that is blocked in reading `input` or a terminal, or in waiting
// until it can be read and nothing else. A program that also watches other descriptors for reading,
// or for events of its own, is not one that waits for input.
InputWait find_input_wait(std::span<const LivingProcess> processes, const InputFile& input,
                          WaitSource source);

}  // namespace gibbous
