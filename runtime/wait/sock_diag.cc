// Two requests of the same form: one exact query, which the kernel answers with the lookup that a
// SYN would cause, and one dump of a family.
#include "runtime/wait/sock_diag.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <cstring>
#include <utility>

namespace gibbous {
namespace {

constexpr std::size_t kReplyBytes = std::size_t{32} << 10;  // the kernel's largest dump message

struct Request {
  nlmsghdr header;
  inet_diag_req_v2 body;
};

Address address_of(const inet_diag_msg& message) {
  Address address;
  address.v6 = message.idiag_family == AF_INET6;
  std::memcpy(address.bytes.data(), message.id.idiag_src,
              address.v6 ? address.bytes.size() : sizeof message.id.idiag_src[0]);
  return address;
}

Status no_answer(int error) {
  return Status::error("unavailable", std::string("NETLINK_SOCK_DIAG: ") + std::strerror(error));
}

}  // namespace

Result<SockDiag> SockDiag::open() {
  UniqueFd socket(
      ::socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_SOCK_DIAG));
  if (!socket) return no_answer(errno);
  SockDiag diag(std::move(socket));
  // A kernel without tcp_diag answers an exact query with ENOENT, as it does without a listener;
  // only a dump shows the difference.
  std::vector<Listener> found;
  if (Status status = diag.ask(Address::loopback_v4(), 0, true, found); !status) return status;
  return diag;
}

Status SockDiag::ask(const Address& to, int port, bool all, std::vector<Listener>& found) {
  Request request{};
  request.header.nlmsg_len = sizeof request;
  request.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  request.header.nlmsg_flags = static_cast<std::uint16_t>(NLM_F_REQUEST | (all ? NLM_F_DUMP : 0));
  request.header.nlmsg_seq = ++sequence_;
  request.body.sdiag_family = to.v6 ? AF_INET6 : AF_INET;
  request.body.sdiag_protocol = IPPROTO_TCP;
  request.body.idiag_states = 1U << TCP_LISTEN;
  request.body.id.idiag_sport = htons(static_cast<std::uint16_t>(port));
  request.body.id.idiag_cookie[0] = request.body.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  std::memcpy(request.body.id.idiag_src, to.bytes.data(), to.bytes.size());
  if (::send(socket_.get(), &request, sizeof request, 0) < 0) return no_answer(errno);

  alignas(nlmsghdr) std::array<char, kReplyBytes> reply;
  while (true) {
    const ssize_t count = ::recv(socket_.get(), reply.data(), reply.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return no_answer(errno);
    auto left = static_cast<unsigned>(count);
    const auto* header = reinterpret_cast<const nlmsghdr*>(reply.data());
    for (; NLMSG_OK(header, left); header = NLMSG_NEXT(header, left)) {
      if (header->nlmsg_seq != sequence_) continue;  // a late answer to an abandoned query
      if (header->nlmsg_type == NLMSG_DONE) return {};
      if (header->nlmsg_type == NLMSG_ERROR) {
        nlmsgerr error{};
        std::memcpy(&error, NLMSG_DATA(header), sizeof error);
        if (!all && error.error == -ENOENT) return {};
        return no_answer(-error.error);
      }
      inet_diag_msg message{};
      std::memcpy(&message, NLMSG_DATA(header), sizeof message);
      if (message.idiag_state == TCP_LISTEN && ntohs(message.id.idiag_sport) == port) {
        found.push_back({address_of(message), message.idiag_inode, message.idiag_uid});
      }
      if (!all) return {};
    }
  }
}

Result<std::optional<Listener>> SockDiag::find(const Address& to, int port) {
  std::vector<Listener> found;
  if (Status status = ask(to, port, false, found); !status) return status;
  if (found.empty()) return std::optional<Listener>();
  return std::optional<Listener>(found.front());
}

Result<std::vector<Listener>> SockDiag::list(int port) {
  std::vector<Listener> found;
  if (Status status = ask(Address::loopback_v4(), port, true, found); !status) return status;
  if (Status status = ask(Address::loopback_v6(), port, true, found); !status) return status;
  return found;
}

}  // namespace gibbous
