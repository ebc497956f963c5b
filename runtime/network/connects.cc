// Only calls on sockets that are no datagram sockets of IPv4 or IPv6 (sends), or none of IPv4 or
// IPv6 at all (connects), go on in the program itself (SECCOMP_USER_NOTIF_FLAG_CONTINUE): whatever
// their memory says then, they lead to no other machine and no other service. Another thread may
// put an IP socket under their number meanwhile; Landlock then refuses to connect one of TCP.
#include "runtime/network/connects.h"

#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <span>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "runtime/base/mounts.h"
#include "runtime/base/quiet_thread.h"
#include "runtime/network/agent.h"
#include "runtime/network/destination.h"
#include "runtime/network/own_listeners.h"

namespace gibbous::network {
namespace {

constexpr std::size_t kMaxWaiting = 256;  // connects of a run; the next ones get EAGAIN
constexpr std::size_t kMaxKnown = 256;
constexpr std::size_t kMaxDatagram = 65536;
constexpr std::size_t kMaxControl = 256;
constexpr std::size_t kMaxParts = 64;
constexpr std::size_t kMaxMessages = 64;
constexpr int kLookMillis = 100;  // at whether those who wait are still there
// Without what needs no address, or more than one call.
constexpr int kSendFlags = MSG_CONFIRM | MSG_DONTROUTE | MSG_DONTWAIT | MSG_MORE | MSG_EOR;

struct Notification {
  union {
    seccomp_notif notif;
    std::array<std::byte, 256> room;  // for a kernel with more fields
  };
};

template <typename Number>
void* pointer(Number number) {
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(number));
}

// The first number of a line of /proc/PID/status, "\nUid:"; -1: there is none.
int status_number(pid_t pid, std::string_view line) {
  const std::string path = "/proc/" + std::to_string(pid) + "/status";
  const std::string status = read_small_file(path.c_str());
  const std::size_t at = status.find(line);
  return at == std::string::npos ? -1 : std::atoi(status.c_str() + at + line.size());
}

UniqueFd open_pid(pid_t pid) {
  return UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

// A descriptor of the process that the thread is of: all its threads have the same.
UniqueFd open_process(pid_t thread) {
  UniqueFd process = open_pid(thread);
  return process ? std::move(process) : open_pid(status_number(thread, "\nTgid:"));
}

bool read_memory(pid_t thread, const void* address, void* into, std::size_t size) {
  const iovec here{into, size};
  const iovec there{const_cast<void*>(address), size};
  return size == 0 ||
         ::process_vm_readv(thread, &here, 1, &there, 1, 0) == static_cast<ssize_t>(size);
}

int option_of(int socket, int name) {
  int value = -1;
  socklen_t size = sizeof value;
  return ::getsockopt(socket, SOL_SOCKET, name, &value, &size) == 0 ? value : -1;
}

bool is_blocking(int socket) {
  return (::fcntl(socket, F_GETFL) & O_NONBLOCK) == 0;
}

// Waits for no more than a tick of the kernel's clock, whether the socket blocks or not: O_NONBLOCK
// would be seen by the program, and changed by its other threads.
int connect_at_once(int socket, const sockaddr_storage& address, socklen_t size) {
  timeval before{};
  const timeval tick{0, 1};
  socklen_t bytes = sizeof before;
  ::getsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &before, &bytes);
  ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &tick, sizeof tick);
  const auto* const to = reinterpret_cast<const sockaddr*>(&address);
  const int result = ::connect(socket, to, size) == 0 ? 0 : -errno;
  ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &before, sizeof before);
  return result;
}

}  // namespace

struct Connects::State {
  explicit State(ConnectRules given) : rules(std::move(given)), own(rules.is_own) {}

  // A call that waits for its answer.
  struct Call {
    std::uint64_t id = 0;
    pid_t thread = 0;
    UniqueFd socket;  // a duplicate
    sockaddr_storage address{};
    socklen_t size = 0;
  };

  void run() {
    ::prctl(PR_SET_NAME, "gibbous-connect", 0, 0, 0);
    char byte = 0;
    (void)receive(receiver.get(), &byte, 1, &listener);
    receiver.reset();
    while (listener) {
      std::vector<pollfd> events{{listener.get(), POLLIN, 0}};
      for (const Call& call : waiting) events.push_back({call.socket.get(), POLLOUT, 0});
      (void)::poll(events.data(), events.size(), waiting.empty() ? -1 : kLookMillis);
      finish(std::span(events).subspan(1));
      if ((events[0].revents & POLLIN) != 0) {
        take();
      } else if (events[0].revents != 0) {
        return;
      }
    }
  }

  bool is_valid(std::uint64_t id) const {
    return ::ioctl(listener.get(), SECCOMP_IOCTL_NOTIF_ID_VALID, &id) == 0;
  }

  // Answers the connects that have succeeded or failed. Those whose program has died, or handles a
  // signal, go on by themselves.
  void finish(std::span<const pollfd> events) {
    std::size_t next = 0;
    std::vector<Call> left;
    for (Call& call : std::exchange(waiting, {})) {
      const bool is_ready = events[next++].revents != 0;
      if (!is_valid(call.id)) continue;
      const int result =
          is_ready ? connect_at_once(call.socket.get(), call.address, call.size) : -EALREADY;
      if (result == -EALREADY || result == -EINPROGRESS) {
        left.push_back(std::move(call));
      } else {
        answer_connect(call, result);
      }
    }
    waiting = std::move(left);
  }

  void take() {
    Notification next;
    next.room.fill(std::byte{0});
    if (::ioctl(listener.get(), SECCOMP_IOCTL_NOTIF_RECV, &next.notif) != 0) return;
    const seccomp_data& data = next.notif.data;
    if (data.nr == SYS_kill) return signal(next.notif);
    Call call;
    call.id = next.notif.id;
    call.thread = static_cast<pid_t>(next.notif.pid);
    const UniqueFd process = open_process(call.thread);
    const int number = static_cast<int>(data.args[0]);
    call.socket.reset(static_cast<int>(::syscall(SYS_pidfd_getfd, process.get(), number, 0)));
    const int error = errno;
    if (!is_valid(call.id)) return;  // else what was opened is that program's; so with what is read
    if (!call.socket) return (void)answer(call.id, error == EBADF ? -EBADF : -EACCES);
    const int family = option_of(call.socket.get(), SO_DOMAIN);
    const bool is_ip = family == AF_INET || family == AF_INET6;
    if (data.nr == SYS_connect) {
      if (is_ip) return connect(std::move(call), pointer(data.args[1]), data.args[2]);
    } else if (is_ip && option_of(call.socket.get(), SO_TYPE) == SOCK_DGRAM) {
      return (void)answer(call.id, send(call, data));
    }
    answer(call.id, family < 0 ? -ENOTSOCK : 0, family < 0 ? 0 : SECCOMP_USER_NOTIF_FLAG_CONTINUE);
  }

  // Returns false if the call no longer waits.
  bool answer(std::uint64_t id, std::int64_t result, std::uint32_t flags = 0) const {
    seccomp_notif_resp response{};
    response.id = id;
    response.flags = flags;
    response.val = result < 0 ? 0 : result;
    response.error = result < 0 ? static_cast<std::int32_t>(result) : 0;
    return ::ioctl(listener.get(), SECCOMP_IOCTL_NOTIF_SEND, &response) == 0;
  }

  // The descriptor comes first: what is found out about the process holds for no other one that has
  // its number later. The caller needs the rights that the kernel asks for, not those of the
  // keeper.
  void signal(const seccomp_notif& notif) {
    const auto pid = static_cast<pid_t>(notif.data.args[0]);
    const UniqueFd process = open_pid(pid);
    const int user = status_number(static_cast<pid_t>(notif.pid), "\nUid:");
    const bool is_allowed = process && rules.may_signal(pid) && user >= 0 &&
                            (user == 0 || user == status_number(pid, "\nUid:"));
    if (!is_valid(notif.id)) return;
    if (!is_allowed) return (void)answer(notif.id, 0, SECCOMP_USER_NOTIF_FLAG_CONTINUE);
    const auto number = static_cast<int>(notif.data.args[1]);
    const long sent = ::syscall(SYS_pidfd_send_signal, process.get(), number, nullptr, 0);
    answer(notif.id, sent == 0 ? 0 : -errno);
  }

  void connect(Call call, const void* address, std::uint64_t bytes) {
    const auto size = static_cast<std::int32_t>(bytes);
    if (size < 0 || static_cast<std::size_t>(size) > sizeof call.address) {
      return (void)answer(call.id, -EINVAL);
    }
    call.size = static_cast<socklen_t>(size);
    if (!read_memory(call.thread, address, &call.address, call.size)) {
      return (void)answer(call.id, -EFAULT);
    }
    if (!is_valid(call.id)) return;
    const bool disconnects = call.address.ss_family == AF_UNSPEC;
    if (const int error = disconnects ? 0 : judge(call.socket.get(), call.address, call.size)) {
      return (void)answer(call.id, -error);
    }
    const int result = connect_at_once(call.socket.get(), call.address, call.size);
    const bool goes_on = result == -EINPROGRESS || result == -EALREADY;
    if (!goes_on || !is_blocking(call.socket.get())) return answer_connect(call, result);
    if (waiting.size() == kMaxWaiting) return (void)answer(call.id, -EAGAIN);
    waiting.push_back(std::move(call));
  }

  // A signal may have interrupted the call after it was made here. Then the program makes it again,
  // and is to find what it would have found.
  void answer_connect(const Call& call, int result) {
    struct stat info {};
    ::fstat(call.socket.get(), &info);
    const bool again = unheard.erase(info.st_ino) != 0;
    if (again && result == -EISCONN) result = 0;
    if (again && result == -EALREADY) result = -EINPROGRESS;
    if (unheard.size() == kMaxKnown) unheard.clear();
    if (!answer(call.id, result)) unheard.insert(info.st_ino);
  }

  // Returns the error of a call that is refused; 0: it may be made, with `address` as it is then.
  int judge(int socket, sockaddr_storage& address, socklen_t size) {
    const auto destination = Destination::read(address, size);
    if (!destination) return EAFNOSUPPORT;
    if (is_name_server(*destination)) return 0;
    if (destination->is_never_reached()) return refuse(*destination);
    if (!destination->is_loopback()) return 0;
    if (std::count(rules.ports.begin(), rules.ports.end(), destination->port) > 0) return 0;
    const int protocol = option_of(socket, SO_PROTOCOL);
    if (protocol != IPPROTO_TCP && protocol != IPPROTO_UDP) return 0;  // an echo request
    const auto found = own.at(*destination, static_cast<std::uint8_t>(protocol));
    if (found == OwnListeners::Found::kOther) return refuse(*destination);
    // Without a receiver nothing is lost; getaddrinfo(3) orders addresses by such connects.
    const bool any = found == OwnListeners::Found::kOwn;
    return any || protocol == IPPROTO_UDP ? 0 : ECONNREFUSED;
  }

  int refuse(const Destination& destination) {
    const std::string text = destination.text();
    const std::lock_guard lock(mutex);
    const bool is_known = std::count(refused.begin(), refused.end(), text) > 0;
    if (!is_known && refused.size() < kMaxRefused) refused.push_back(text);
    return EACCES;
  }

  // Sends what sendto(2), sendmsg(2) and sendmmsg(2) name.
  std::int64_t send(const Call& call, const seccomp_data& data) {
    const auto& words = data.args;
    if (data.nr == SYS_sendto) {
      msghdr message{};
      message.msg_name = pointer(words[4]);
      message.msg_namelen = static_cast<socklen_t>(words[5]);
      const iovec part{pointer(words[1]), words[2]};
      return send(call, message, {&part, 1}, static_cast<int>(words[3]));
    }
    const bool one = data.nr == SYS_sendmsg;
    const auto flags = static_cast<int>(words[one ? 2 : 3]);
    auto* const messages = static_cast<mmsghdr*>(pointer(words[1]));
    if (one) return send(call, &messages->msg_hdr, flags);
    const std::size_t count = std::min<std::size_t>(static_cast<unsigned>(words[2]), kMaxMessages);
    for (std::size_t i = 0; i < count; ++i) {
      const std::int64_t sent = send(call, &messages[i].msg_hdr, flags);
      if (sent < 0) return i == 0 ? sent : static_cast<std::int64_t>(i);
      unsigned size = static_cast<unsigned>(sent);
      const iovec here{&size, sizeof size};
      const iovec there{&messages[i].msg_len, sizeof size};
      (void)::process_vm_writev(call.thread, &here, 1, &there, 1, 0);
    }
    return static_cast<std::int64_t>(count);
  }

  // `header`: in the program's memory, and what it points to.
  std::int64_t send(const Call& call, const msghdr* header, int flags) {
    msghdr message{};
    std::array<iovec, kMaxParts> parts{};
    if (!read_memory(call.thread, header, &message, sizeof message)) return -EFAULT;
    if (message.msg_iovlen > parts.size()) return -EMSGSIZE;
    const std::size_t size = message.msg_iovlen * sizeof(iovec);
    if (!read_memory(call.thread, message.msg_iov, parts.data(), size)) return -EFAULT;
    return send(call, message, std::span(parts).first(message.msg_iovlen), flags);
  }

  std::int64_t send(const Call& call, msghdr message, std::span<const iovec> parts, int flags) {
    sockaddr_storage address{};
    std::size_t size = 0;
    for (const iovec& part : parts) {
      if (part.iov_len > kMaxDatagram - size) return -EMSGSIZE;
      size += part.iov_len;
    }
    if (message.msg_name == nullptr) message.msg_namelen = 0;
    if (message.msg_namelen > sizeof address || message.msg_controllen > kMaxControl) {
      return -EINVAL;
    }
    std::vector<std::byte> bytes(size);
    std::array<std::byte, kMaxControl> control{};
    iovec here{bytes.data(), size};
    if (!read_memory(call.thread, message.msg_name, &address, message.msg_namelen) ||
        !read_memory(call.thread, message.msg_control, control.data(), message.msg_controllen) ||
        (size > 0 && ::process_vm_readv(call.thread, &here, 1, parts.data(), parts.size(), 0) !=
                         static_cast<ssize_t>(size))) {
      return -EFAULT;
    }
    if (!is_valid(call.id)) return -EINTR;
    if (message.msg_namelen != 0) {
      if (const int error = judge(call.socket.get(), address, message.msg_namelen)) return -error;
    }
    message.msg_name = message.msg_namelen != 0 ? &address : nullptr;
    message.msg_control = message.msg_controllen != 0 ? control.data() : nullptr;
    message.msg_iov = &here;
    message.msg_iovlen = 1;
    const ssize_t sent =
        ::sendmsg(call.socket.get(), &message, (flags & kSendFlags) | MSG_NOSIGNAL);
    return sent < 0 ? -errno : sent;
  }

  // These belong to the run's thread alone.
  ConnectRules rules;
  UniqueFd receiver;
  UniqueFd listener;
  std::vector<Call> waiting;          // connects that block
  OwnListeners own;                   // of the session
  std::unordered_set<ino_t> unheard;  // sockets whose connect got no answer

  mutable std::mutex mutex;
  std::vector<std::string> refused;
};

std::shared_ptr<Connects> Connects::start(ConnectRules rules, UniqueFd* sender) {
  std::array<int, 2> ends{-1, -1};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) return nullptr;
  auto state = std::make_shared<State>(std::move(rules));
  sender->reset(ends[0]);
  state->receiver.reset(ends[1]);
  const bool started = start_quiet_thread([state] {
    state->run();
    state->listener.reset();
  });
  if (!started) return nullptr;
  return std::shared_ptr<Connects>(new Connects(std::move(state)));
}

std::string Connects::refused() const {
  const std::lock_guard lock(state_->mutex);
  std::string all;
  for (const std::string& each : state_->refused) all += (all.empty() ? "" : " ") + each;
  return all;
}

}  // namespace gibbous::network
