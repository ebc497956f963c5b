// Lists listening sockets by inode, once for each network namespace, and finds the processes that
// have one open in the links of /proc/PID/fd.
#include "runtime/process/usage_ports.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <string_view>
#include <tuple>
#include <unordered_set>

#include "runtime/base/unique_fd.h"
#include "runtime/process/listeners.h"

namespace gibbous {
namespace {

constexpr std::size_t kSocketPathBytes = 64;
constexpr std::size_t kDescriptorListBytes = 8UL * 1024;
constexpr std::size_t kLinkBytes = 64;
// The most descriptors (1 µs each) and network namespaces (4 ms each) to read for one request.
constexpr std::size_t kMaxDescriptors = 8192;
constexpr std::size_t kMaxNamespaces = 16;

using Path = std::array<char, kSocketPathBytes>;

Path proc_path(pid_t pid, const char* name) {
  Path path;
  std::snprintf(path.data(), path.size(), "/proc/%d/%s", pid, name);
  return path;
}

// Returns the inode of "socket:[INODE]"; 0 for anything else.
ino_t socket_inode(int directory, const char* name) {
  constexpr std::string_view kPrefix = "socket:[";
  std::array<char, kLinkBytes> target;
  const ssize_t size = ::readlinkat(directory, name, target.data(), target.size());
  if (size <= 0) return 0;
  std::string_view text(target.data(), static_cast<std::size_t>(size));
  if (!text.starts_with(kPrefix) || !text.ends_with(']')) return 0;
  text.remove_prefix(kPrefix.size());
  text.remove_suffix(1);
  constexpr int kDecimal = 10;
  ino_t inode = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), inode, kDecimal);
  return error == std::errc{} && end == text.data() + text.size() ? inode : 0;
}

// Calls `visit` with the inode of each open socket of a process.
template <typename Visit>
void for_each_socket(pid_t pid, std::size_t& looks_left, Visit visit) {
  const UniqueFd directory(::open(proc_path(pid, "fd").data(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory) return;  // it is another user's process, or gone
  alignas(dirent64) std::array<char, kDescriptorListBytes> buffer;
  while (true) {
    const long got = ::syscall(SYS_getdents64, directory.get(), buffer.data(), buffer.size());
    if (got <= 0) return;
    for (long at = 0; at < got;) {
      const auto* entry = reinterpret_cast<const dirent64*>(buffer.data() + at);
      at += entry->d_reclen;
      const char* name = static_cast<const char*>(entry->d_name);
      if (name[0] == '.') continue;
      if (looks_left == 0) return;
      --looks_left;
      if (const ino_t inode = socket_inode(directory.get(), name); inode != 0) visit(inode);
    }
  }
}

}  // namespace

std::vector<ino_t> sockets_of(pid_t pid) {
  std::size_t looks_left = kMaxDescriptors;
  std::vector<ino_t> found;
  for_each_socket(pid, looks_left, [&](ino_t inode) { found.push_back(inode); });
  return found;
}

ListeningPorts::ListeningPorts() {
  struct stat space {};
  if (::stat("/proc/self/ns/net", &space) == 0) own_space_ = space.st_ino;
}

std::vector<const ListeningSockets*> ListeningPorts::listeners_of(
    std::span<const LivingProcess> processes) {
  std::vector<const ListeningSockets*> found;
  std::vector<ino_t> seen;
  for (const LivingProcess& process : processes) {
    struct stat space {};
    if (::stat(proc_path(process.pid, "ns/net").data(), &space) != 0) continue;
    if (std::find(seen.begin(), seen.end(), space.st_ino) != seen.end()) continue;
    if (seen.size() == kMaxNamespaces) break;
    seen.push_back(space.st_ino);
    const auto [known, is_new] = by_namespace_.try_emplace(space.st_ino);
    ListeningSockets& sockets = known->second;
    if (is_new) {
      const bool own = space.st_ino == own_space_;
      if (!own || !append_own_listeners(sockets)) append_listeners_of(process.pid, sockets);
    }
    if (!sockets.empty()) found.push_back(&sockets);
  }
  return found;
}

std::vector<ListeningPort> ListeningPorts::read(std::span<const LivingProcess> processes) {
  const auto listeners = listeners_of(processes);
  if (listeners.empty()) return {};
  std::vector<ListeningPort> ports;
  std::unordered_set<ino_t> owned;
  std::size_t looks_left = kMaxDescriptors;
  for (const LivingProcess& process : processes) {
    if (looks_left == 0) break;
    for_each_socket(process.pid, looks_left, [&](ino_t inode) {
      for (const ListeningSockets* sockets : listeners) {
        const auto found = sockets->find(inode);
        if (found == sockets->end() || !owned.insert(inode).second) continue;
        ports.push_back(found->second);
        ports.back().pid = process.pid;
      }
    });
  }
  std::sort(ports.begin(), ports.end(), [](const ListeningPort& a, const ListeningPort& b) {
    return std::tie(a.port, a.address, a.pid) < std::tie(b.port, b.address, b.pid);
  });
  ports.erase(std::unique(ports.begin(), ports.end()), ports.end());
  if (ports.size() > kMaxUsagePorts) ports.resize(kMaxUsagePorts);
  return ports;
}

}  // namespace gibbous
