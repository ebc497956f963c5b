#include "runtime/process/ancestry.h"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "runtime/base/unique_fd.h"
#include "runtime/process/mark.h"
#include "runtime/process/proc.h"
#include "runtime/process/tree.h"

namespace gibbous {
namespace {

constexpr std::size_t kMostAncestors = 1000;
constexpr int kMostWalks = 8;

bool is_guard(pid_t pid) {
  std::array<char, 24> name{};
  if (!read_proc_file(pid, "comm", name)) return false;
  const std::string_view text(name.data());
  return text == "gibbous-keeper\n" || text == "run-warden\n";
}

// A guard holds no connection, and shows that only to root. A process of a run can take its name,
// and not the hard limit off that is its mark.
bool is_surely_guard(pid_t pid) {
  rlimit limit{};
  return is_guard(pid) && ::prlimit(pid, RLIMIT_RTTIME, nullptr, &limit) == 0 &&
         limit.rlim_max == RLIM_INFINITY;
}

// This process and what is above it.
std::vector<pid_t> own_ancestors() {
  std::vector<pid_t> all;
  for (pid_t pid = ::getpid(); pid > 0 && all.size() < kMostAncestors;) {
    all.push_back(pid);
    const auto stat = read_stat(pid);
    pid = stat ? stat->parent : 0;
  }
  return all;
}

enum class Walked : std::uint8_t { kOfRun, kFree, kGone };

Walked walk_up(pid_t pid, const std::vector<pid_t>& own) {
  for (std::size_t steps = 0; pid > 0 && steps < kMostAncestors; ++steps) {
    if (std::find(own.begin(), own.end(), pid) != own.end()) return Walked::kFree;
    if (is_guard(pid)) return Walked::kOfRun;
    const auto stat = read_stat(pid);
    // A process of another user may be there and not be shown.
    if (!stat) return ::kill(pid, 0) != 0 && errno == ESRCH ? Walked::kGone : Walked::kFree;
    pid = stat->parent;
  }
  return Walked::kFree;
}

struct Ends {
  inet_diag_sockid id{};  // as the peer's socket has it
  std::uint8_t family = 0;
};

// Returns false for what is no TCP connection.
bool ends_of(int socket, Ends& ends) {
  const auto put = [&](decltype(&::getpeername) call, __be32* address, __be16* port) {
    sockaddr_storage name{};
    socklen_t size = sizeof name;
    if (call(socket, reinterpret_cast<sockaddr*>(&name), &size) != 0) return false;
    ends.family = static_cast<std::uint8_t>(name.ss_family);
    if (name.ss_family == AF_INET) {
      sockaddr_in v4{};
      std::memcpy(&v4, &name, sizeof v4);
      *port = v4.sin_port;
      std::memcpy(address, &v4.sin_addr, sizeof v4.sin_addr);
      return true;
    }
    if (name.ss_family != AF_INET6) return false;
    sockaddr_in6 v6{};
    std::memcpy(&v6, &name, sizeof v6);
    *port = v6.sin6_port;
    const bool mapped = IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr) != 0;
    if (mapped) ends.family = AF_INET;
    constexpr std::size_t kV4At = 12;
    const auto* const bytes = reinterpret_cast<const char*>(&v6.sin6_addr);
    std::memcpy(address, bytes + (mapped ? kV4At : 0), mapped ? sizeof(in_addr) : sizeof(in6_addr));
    return true;
  };
  return put(&::getpeername, ends.id.idiag_src, &ends.id.idiag_sport) &&
         put(&::getsockname, ends.id.idiag_dst, &ends.id.idiag_dport);
}

// Returns the inode of the peer's socket on this machine; 0: there is none.
ino_t peer_inode(int socket) {
  struct {
    nlmsghdr header;
    inet_diag_req_v2 body;
  } question{};
  Ends ends;
  if (!ends_of(socket, ends)) return 0;
  question.header.nlmsg_len = sizeof question;
  question.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  question.header.nlmsg_flags = NLM_F_REQUEST;
  question.body.sdiag_family = ends.family;
  question.body.sdiag_protocol = IPPROTO_TCP;
  question.body.idiag_states = ~0U;
  question.body.id = ends.id;
  std::fill(std::begin(question.body.id.idiag_cookie), std::end(question.body.id.idiag_cookie),
            INET_DIAG_NOCOOKIE);
  const UniqueFd asked(::socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  if (!asked || ::send(asked.get(), &question, sizeof question, 0) != sizeof question) return 0;
  constexpr std::size_t kReplyBytes = 4096;
  alignas(nlmsghdr) std::array<char, kReplyBytes> reply{};
  const ssize_t count = ::recv(asked.get(), reply.data(), reply.size(), MSG_DONTWAIT);
  nlmsghdr header{};
  inet_diag_msg found{};
  if (count < static_cast<ssize_t>(NLMSG_LENGTH(sizeof found))) return 0;
  std::memcpy(&header, reply.data(), sizeof header);
  std::memcpy(&found, reply.data() + NLMSG_HDRLEN, sizeof found);
  const bool is_peer = header.nlmsg_type == SOCK_DIAG_BY_FAMILY &&
                       found.idiag_state != TCP_LISTEN &&
                       found.id.idiag_sport == ends.id.idiag_sport;
  return is_peer ? found.idiag_inode : 0;
}

enum class Holds : std::uint8_t { kNo, kYes, kUnknown };

Holds holds(pid_t pid, const std::string& socket) {
  const std::string directory = "/proc/" + std::to_string(pid) + "/fd";
  std::vector<pid_t> numbers;
  if (!list_numbers(directory.c_str(), numbers)) {
    const auto stat = read_stat(pid);
    return stat && stat->alive() ? Holds::kUnknown : Holds::kNo;
  }
  for (const pid_t number : numbers) {
    std::array<char, 40> text{};
    const std::string path = directory + "/" + std::to_string(number);
    if (::readlink(path.c_str(), text.data(), text.size() - 1) > 0 && socket == text.data()) {
      return Holds::kYes;
    }
  }
  return Holds::kNo;
}

// Returns true when a process of a run holds the socket, or may and no other one does.
bool is_held_in_run(ino_t inode) {
  const std::string socket = "socket:[" + std::to_string(inode) + "]";
  const std::vector<pid_t> own = own_ancestors();
  std::vector<pid_t> all;
  (void)list_numbers("/proc", all);
  std::vector<pid_t> guards;
  std::copy_if(all.begin(), all.end(), std::back_inserter(guards), [&](pid_t pid) {
    return is_guard(pid) && std::find(own.begin(), own.end(), pid) == own.end();
  });
  ProcessTree tree;
  (void)tree.own_children();
  std::unordered_set<pid_t> of_runs;
  bool hidden = false;
  for (const pid_t pid : tree.with_descendants(guards)) {
    if (!of_runs.insert(pid).second || is_surely_guard(pid)) continue;
    const Holds held = holds(pid, socket);
    if (held == Holds::kYes) return true;
    hidden = hidden || held == Holds::kUnknown;
  }
  return hidden && std::none_of(all.begin(), all.end(), [&](pid_t pid) {
           return of_runs.count(pid) == 0 && holds(pid, socket) == Holds::kYes;
         });
}

}  // namespace

bool is_of_run(pid_t pid) {
  const std::vector<pid_t> own = own_ancestors();
  // What loses its parent during the walk is a child of the keeper in the next one.
  for (int walks = 0; walks < kMostWalks; ++walks) {
    const Walked walked = walk_up(pid, own);
    if (walked != Walked::kGone) return walked == Walked::kOfRun;
  }
  return true;
}

bool is_inside_run() {
  const auto marks = read_marks(::getpid());
  if (marks && (marks->outer || marks->inner)) return true;
  const std::vector<pid_t> own = own_ancestors();
  return std::any_of(own.begin(), own.end(), is_guard);
}

bool is_peer_of_run(int socket) {
  int domain = 0;
  socklen_t size = sizeof domain;
  if (::getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &domain, &size) != 0) return true;
  if (domain != AF_UNIX) {
    const ino_t inode = peer_inode(socket);
    return inode != 0 && is_held_in_run(inode);
  }
  ucred peer{};
  size = sizeof peer;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return true;
  return peer.pid != 0 && is_of_run(peer.pid);
}

}  // namespace gibbous
