#include "runtime/wait/port_owner.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <vector>

#include "runtime/process/proc.h"
#include "runtime/wait/socket_owner.h"

namespace gibbous {
namespace {

constexpr std::size_t kMaxNameBytes = 64;
constexpr std::size_t kMaxUsers = 256;  // processes whose users are looked at

// They listen on this machine for a server in a container or a namespace, which a run may have
// started through a daemon.
constexpr std::string_view kForwarders[] = {
    "docker-proxy", "rootlessport",   "rootlesskit", "slirp4netns", "pasta", "passt",
    "gvproxy",      "containerd-shi", "conmon",      "kubectl",     "ssh",   "systemd"};

std::optional<Mark> innermost(const std::optional<Marks>& marks) {
  if (!marks) return std::nullopt;
  return marks->inner ? marks->inner : marks->outer;
}

std::string name_of(pid_t pid) {
  std::array<char, kMaxNameBytes> text;
  if (!read_proc_file(pid, "comm", text)) return "";
  std::string name = text.data();
  while (!name.empty() && name.back() == '\n') name.pop_back();
  return name;
}

}  // namespace

PortOwner::PortOwner(pid_t leader) : leader_(leader), mark_(innermost(read_marks(leader))) {}

bool PortOwner::is_of_run(pid_t pid) const {
  if (pid == leader_) return true;
  const auto marks = read_marks(pid);
  // Without marks nothing can be said against it.
  if (!marks || !mark_) return true;
  return marks->inner == mark_ || marks->outer == mark_;
}

// Whether a process of the run's tree runs as `user`, whose descriptors may not be ours to see.
bool PortOwner::has_user(uid_t user) const {
  std::vector<pid_t> tree = {leader_};
  for (std::size_t at = 0; at < tree.size() && tree.size() < kMaxUsers; ++at) {
    struct stat process {};
    if (::stat(("/proc/" + std::to_string(tree[at])).c_str(), &process) == 0 &&
        process.st_uid == user) {
      return true;
    }
    append_children(tree[at], tree);
  }
  return false;
}

std::optional<std::string> PortOwner::other(const Listener& listener, pid_t* owner) const {
  *owner = find_socket_owner(listener.inode, leader_);
  if (*owner == 0) {
    if (listener.user == ::getuid() || has_user(listener.user)) return std::nullopt;
    return "a program of user " + std::to_string(listener.user);
  }
  if (is_of_run(*owner)) return std::nullopt;
  const std::string name = name_of(*owner);
  const bool forwards = std::any_of(std::begin(kForwarders), std::end(kForwarders),
                                    [&](std::string_view each) { return name == each; });
  if (forwards) return std::nullopt;
  return (name.empty() ? "another program" : name) + " (pid " + std::to_string(*owner) + ")";
}

}  // namespace gibbous
