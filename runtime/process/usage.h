// What a tree of processes costs right now, where it listens, and whether it waits for input: read
// from /proc by the keeper when it is asked, never on its own. Every process may vanish while it is
// read; what has gone is left out. The cost is bounded whatever the processes do. Any thread.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gibbous {

inline constexpr std::size_t kMaxUsageProcesses = 4096;
inline constexpr std::size_t kMaxUsagePorts = 64;

// A TCP socket in state LISTEN.
struct ListeningPort {
  std::uint16_t port = 0;
  pid_t pid = 0;  // of several that share the socket, the one that was named first
  bool loopback_only = false;
  std::string address;  // "127.0.0.1", "::"; IPv6 when there is a ':' in it

  bool operator==(const ListeningPort&) const = default;
};

struct TreeUsage {
  std::uint32_t processes = 0;  // alive: zombies are not counted
  std::uint32_t threads = 0;
  std::uint64_t rss_bytes = 0;  // what processes share is counted for each
  // Of the processes, zombies included, and of the children that they have waited for. What was
  // waited for by somebody who is not among them is missing; that is for the keeper to add.
  std::chrono::microseconds cpu{0};
  // Of any of the processes, each seen in its own network namespace; sorted by port.
  std::vector<ListeningPort> ports;
  pid_t waiting_pid = 0;  // the process that waits for input and for nothing else; 0: none is known
  int waiting_fd = -1;
  // It reads a terminal from the background, and was stopped for it (SIGTTIN).
  bool waiting_stopped = false;
};

struct UsageQuestion {
  std::span<const pid_t> pids;  // parents before their children
  // The run's stdin, by fstat(); inode 0 when it has none. A terminal counts as input as well.
  ino_t stdin_inode = 0;
  dev_t stdin_device = 0;
  bool ports = false;
  bool waiting = false;
};

TreeUsage read_usage(const UsageQuestion& question);

}  // namespace gibbous
