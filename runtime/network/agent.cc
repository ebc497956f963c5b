#include "runtime/network/agent.h"

#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>
#include <memory>
#include <utility>

#include "runtime/base/quiet_thread.h"
#include "runtime/network/destination.h"
#include "runtime/process/listeners.h"

namespace gibbous::network {
namespace {

enum What : std::uint8_t { kList, kListen, kConnect };

struct Question {
  std::uint8_t what;
  std::uint8_t v6;
  std::uint16_t port;
};

struct Answer {
  std::uint32_t count;
  std::array<Inside, kMaxInside> inside;
};

constexpr int kBacklog = 64;

struct AnyAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

AnyAddress loopback(std::uint16_t port, bool v6) {
  AnyAddress address;
  if (v6) {
    sockaddr_in6 in{};
    in.sin6_family = AF_INET6;
    in.sin6_addr = in6addr_loopback;
    in.sin6_port = htons(port);
    std::memcpy(&address.storage, &in, sizeof in);
    address.size = sizeof in;
  } else {
    sockaddr_in in{};
    in.sin_family = AF_INET;
    in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    in.sin_port = htons(port);
    std::memcpy(&address.storage, &in, sizeof in);
    address.size = sizeof in;
  }
  return address;
}

UniqueFd new_socket(bool v6) {
  return UniqueFd(
      ::socket(v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP));
}

ListeningSockets all_listeners() {
  ListeningSockets sockets;
  (void)append_own_listeners(sockets);
  return sockets;
}

Answer by_port(const ListeningSockets& sockets) {
  std::map<std::uint16_t, Inside> ports;
  for (const auto& [inode, socket] : sockets) {
    Inside& inside = ports[socket.port];
    inside.port = socket.port;
    const bool is_mapped = socket.address.rfind("::ffff:", 0) == 0;
    const bool is_v6 = !is_mapped && socket.address.find(':') != std::string::npos;
    inside.v4 = inside.v4 || !is_v6 || socket.address == "::";
    inside.v6 = inside.v6 || is_v6;
  }
  Answer answer{};
  for (const auto& [port, inside] : ports) {
    if (answer.count == kMaxInside) break;
    answer.inside[answer.count++] = inside;
  }
  return answer;
}

void send(int socket, const void* bytes, std::size_t size, int fd) {
  iovec part{const_cast<void*>(bytes), size};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof fd)> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (fd >= 0) {
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof fd);
    std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
  }
  (void)::sendmsg(socket, &message, MSG_NOSIGNAL);
}

// Until the other end closes. `own`: what may be seen and reached; null: everything.
void serve(int socket, OwnListeners* own) {
  Question question{};
  while (receive(socket, &question, sizeof question, nullptr) == sizeof question) {
    if (question.what == kList) {
      const Answer answer = by_port(own != nullptr ? own->list() : all_listeners());
      send(socket, &answer, sizeof answer, -1);
      continue;
    }
    const bool v6 = question.v6 != 0;
    UniqueFd made;
    if (question.what == kListen) {
      made = listen_here(question.port, v6);
    } else if (own == nullptr || own->at(Destination::loopback(question.port, v6), IPPROTO_TCP) ==
                                     OwnListeners::Found::kOwn) {
      made = connect_here(question.port, v6);
    }
    const char byte = made ? 1 : 0;
    send(socket, &byte, 1, made.get());
  }
}

}  // namespace

std::size_t receive(int socket, void* bytes, std::size_t size, UniqueFd* fd) {
  iovec part{bytes, size};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  ssize_t got = -1;
  do {
    got = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  if (got <= 0) return 0;
  if (const cmsghdr* header = CMSG_FIRSTHDR(&message);
      header != nullptr && header->cmsg_type == SCM_RIGHTS && fd != nullptr) {
    int number = -1;
    std::memcpy(&number, CMSG_DATA(header), sizeof number);
    fd->reset(number);
  }
  return static_cast<std::size_t>(got);
}

std::vector<Inside> listeners_here() {
  const Answer answer = by_port(all_listeners());
  return {answer.inside.begin(), answer.inside.begin() + static_cast<std::ptrdiff_t>(answer.count)};
}

UniqueFd listen_here(std::uint16_t port, bool v6) {
  UniqueFd socket = new_socket(v6);
  const AnyAddress address = loopback(port, v6);
  const int yes = 1;
  if (!socket || ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
      (v6 && ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof yes) != 0) ||
      ::bind(socket.get(), address.get(), address.size) != 0 ||
      ::listen(socket.get(), kBacklog) != 0) {
    return {};
  }
  return socket;
}

UniqueFd connect_here(std::uint16_t port, bool v6) {
  UniqueFd socket = new_socket(v6);
  const AnyAddress address = loopback(port, v6);
  if (!socket ||
      (::connect(socket.get(), address.get(), address.size) != 0 && errno != EINPROGRESS)) {
    return {};
  }
  return socket;
}

std::optional<Agent> Agent::start(const Place& place) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return std::nullopt;
  }
  UniqueFd ours(ends[0]);
  UniqueFd theirs(ends[1]);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) return std::nullopt;
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    ours.reset();
    if (::getppid() != parent || !enter(place)) ::_exit(1);
    ::prctl(PR_SET_NAME, "gibbous-network", 0, 0, 0);
    serve(theirs.get(), nullptr);
    ::_exit(0);
  }
  return Agent(std::move(ours));
}

void Agent::start_thread(UniqueFd socket, IsOwn is_own) {
  const auto ours = std::make_shared<UniqueFd>(std::move(socket));
  (void)start_quiet_thread([ours, is_own = std::move(is_own)] {
    ::prctl(PR_SET_NAME, "gibbous-agent", 0, 0, 0);
    OwnListeners own(is_own);
    serve(ours->get(), &own);
  });
}

std::vector<Inside> Agent::listeners() {
  const Question question{kList, 0, 0};
  send(socket_.get(), &question, sizeof question, -1);
  Answer answer{};
  if (receive(socket_.get(), &answer, sizeof answer, nullptr) != sizeof answer) {
    socket_.reset();
    return {};
  }
  const std::size_t count = std::min<std::size_t>(answer.count, kMaxInside);
  return {answer.inside.begin(), answer.inside.begin() + static_cast<std::ptrdiff_t>(count)};
}

UniqueFd Agent::ask(std::uint8_t what, std::uint16_t port, bool v6) {
  const Question question{what, static_cast<std::uint8_t>(v6 ? 1 : 0), port};
  send(socket_.get(), &question, sizeof question, -1);
  UniqueFd made;
  char byte = 0;
  if (receive(socket_.get(), &byte, 1, &made) == 0) socket_.reset();
  return made;
}

UniqueFd Agent::listen(std::uint16_t port, bool v6) {
  return ask(kListen, port, v6);
}

UniqueFd Agent::connect(std::uint16_t port, bool v6) {
  return ask(kConnect, port, v6);
}

}  // namespace gibbous::network
