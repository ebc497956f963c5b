// What plain C with the system's own calls does with the same work: the other side of every ratio.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace gibbous::bench {

// Starts argv with stdout and stderr piped, `in_flight` at a time, `count` in all; reads to EOF and
// collects each exit by epoll and pidfd. Seconds. posix_spawn, as C programs do it.
double c_starts(const std::vector<std::string>& argv, int count, int in_flight);

// What the host pays for one start, `count` times, one after the other: microseconds.
enum class StartedBy {
  kItself,        // posix_spawn in the host
  kOtherProcess,  // a message on a SEQPACKET socket to a process that sleeps and then does that
};
std::vector<double> c_start_cost(const std::vector<std::string>& argv, int count, StartedBy by);

struct Many {
  double start_ms = 0;
  double kill_ms = 0;  // until all are reaped
};
// `count` children at once, both streams piped and watched; then SIGKILL to all.
Many c_many(const std::vector<std::string>& argv, int count);

// Reads `fd` to its end with read(64 KiB). Bytes.
std::size_t c_read_all(int fd);
// Starts argv with stdout in a default pipe; gives the read end.
int c_start_piped(const std::vector<std::string>& argv, pid_t* pid);

// One child writes a line each time it is poked; microseconds from the poke's time stamp in the
// line to epoll_wait's return with the line read, `count` times.
std::vector<double> c_line_latency(const std::vector<std::string>& argv, int count);

}  // namespace gibbous::bench
