// What a tree of processes uses now, where it listens, and whether it waits for input. The keeper
// reads it from /proc on request, never on its own. Any process may vanish during the read and is
// then left out. The cost is bounded for any processes. Any thread.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace gibbous {

inline constexpr std::size_t kMaxUsageProcesses = 4096;
inline constexpr std::size_t kMaxUsagePorts = 64;
inline constexpr std::uint32_t kMaxUsageNames = 8;

// A TCP socket in state LISTEN.
struct ListeningPort {
  std::uint16_t port = 0;
  pid_t pid = 0;  // the first given process among those that share the socket
  bool loopback_only = false;
  std::string address;  // "127.0.0.1", "::"; with a ':' for IPv6

  bool operator==(const ListeningPort&) const = default;
};

class ListeningPorts;

struct TreeUsage {
  std::uint32_t processes = 0;  // alive: zombies are not counted
  std::uint32_t threads = 0;
  std::uint32_t stopped = 0;    // of the processes: by a signal, until SIGCONT
  std::uint64_t rss_bytes = 0;  // shared pages count for each process
  // Time of the processes, zombies included, and of the children they have waited for. Children
  // that an outside process waited for are missing; the keeper adds those.
  std::chrono::microseconds cpu{0};
  // Ports of all the processes, each seen in its own network namespace; sorted by port.
  std::vector<ListeningPort> ports;
  pid_t waiting_pid = 0;  // the process that waits only for input; 0: none is known
  int waiting_fd = -1;
  std::string names;  // "sleep (pid 42), …", of at most kMaxUsageNames, where they are asked for
  // It read a terminal from the background and was stopped for it (SIGTTIN).
  bool waiting_stopped = false;
};

struct UsageQuestion {
  std::span<const pid_t> pids;  // parents before their children
  // The run's stdin, from fstat(); inode 0 when it has none. A terminal counts as input as well.
  ino_t stdin_inode = 0;
  dev_t stdin_device = 0;
  bool ports = false;
  bool waiting = false;
  bool names = false;
};

TreeUsage read_usage(const UsageQuestion& question);

// Reads the usage of several trees at one moment, and lists the sockets of each network namespace
// only once. Not for several threads at once.
class UsageSurvey {
 public:
  UsageSurvey();
  ~UsageSurvey();
  UsageSurvey(const UsageSurvey&) = delete;
  UsageSurvey& operator=(const UsageSurvey&) = delete;

  TreeUsage read(const UsageQuestion& question);

 private:
  std::unique_ptr<ListeningPorts> ports_;
};

}  // namespace gibbous
