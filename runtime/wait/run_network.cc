#include "runtime/wait/run_network.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/process/listeners.h"
#include "runtime/process/proc.h"
#include "runtime/wait/socket_owner.h"

namespace gibbous {
namespace {

constexpr std::size_t kMaxProcesses = 256;
constexpr std::size_t kMaxNetworks = 4;
constexpr std::size_t kNameBytes = 32;
constexpr std::string_view kForwarderName = "gibbous-forward";  // runtime/network/forwarder.cc

ino_t network_of(const std::string& process) {
  struct stat space {};
  return ::stat(("/proc/" + process + "/ns/net").c_str(), &space) == 0 ? space.st_ino : 0;
}

// Returns one process for each network, at most `most`.
std::vector<pid_t> processes_with_own_network(pid_t leader, std::size_t most) {
  std::vector<pid_t> found;
  std::vector<ino_t> seen = {0, network_of("self")};
  std::vector<pid_t> tree = {leader};
  for (std::size_t at = 0; at < tree.size() && at < kMaxProcesses && found.size() < most; ++at) {
    const ino_t network = network_of(std::to_string(tree[at]));
    if (std::find(seen.begin(), seen.end(), network) == seen.end()) {
      seen.push_back(network);
      found.push_back(tree[at]);
    }
    append_children(tree[at], tree);
  }
  return found;
}

}  // namespace

bool has_own_network(pid_t leader) {
  return leader > 0 && !processes_with_own_network(leader, 1).empty();
}

bool is_forwarded(pid_t leader, int port) {
  const auto stat = read_stat(leader);
  ListeningSockets listeners;
  if (!stat || !append_own_listeners(listeners)) return false;
  for (const auto& [inode, socket] : listeners) {
    if (socket.port != port) continue;
    // The forwarder is a child of the keeper, as the leader is.
    const pid_t owner = find_socket_owner(inode, stat->parent);
    std::array<char, kNameBytes> name{};
    if (owner > 0 && read_proc_file(owner, "comm", name) &&
        std::string_view(name.data()).starts_with(kForwarderName)) {
      return true;
    }
  }
  return false;
}

std::optional<ListeningPort> find_in_own_network(pid_t leader, int port) {
  if (leader <= 0) return std::nullopt;
  for (const pid_t pid : processes_with_own_network(leader, kMaxNetworks)) {
    ListeningSockets listeners;
    append_listeners_of(pid, listeners);
    for (const auto& [inode, socket] : listeners) {
      if (socket.port != port) continue;
      ListeningPort own = socket;
      own.pid = find_socket_owner(inode, leader);
      return own;
    }
  }
  return std::nullopt;
}

}  // namespace gibbous
