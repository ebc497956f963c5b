// Two ways to the same list: a dump of NETLINK_SOCK_DIAG that asks only for listeners, and the text
// tables of /proc for namespaces in which this process has no socket.
#include "runtime/process/listeners.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>

#include "runtime/base/unique_fd.h"

namespace gibbous {
namespace {

constexpr std::size_t kListenersPathBytes = 64;
constexpr std::size_t kTableReadBytes = 16UL * 1024;
constexpr std::size_t kReplyBytes = 32UL * 1024;  // the kernel's largest dump message

// An address in network byte order; for IPv4, the first word.
using AddressWords = std::array<std::uint32_t, sizeof(in6_addr) / sizeof(std::uint32_t)>;

ListeningPort port_of(const AddressWords& words, bool v6, std::uint16_t number) {
  ListeningPort port;
  std::array<char, INET6_ADDRSTRLEN> name{};
  ::inet_ntop(v6 ? AF_INET6 : AF_INET, words.data(), name.data(), name.size());
  port.address = name.data();
  port.port = number;
  in6_addr v6_address{};
  std::memcpy(&v6_address, words.data(), sizeof v6_address);
  const bool mapped = v6 && IN6_IS_ADDR_V4MAPPED(&v6_address);
  constexpr unsigned kNetworkShift = 24;
  const std::uint32_t v4 = ntohl(mapped ? words.back() : words.front());
  port.loopback_only = v6 && !mapped ? IN6_IS_ADDR_LOOPBACK(&v6_address) != 0
                                     : v4 >> kNetworkShift == IN_LOOPBACKNET;
  return port;
}

void add(ino_t inode, ListeningPort port, ListeningSockets& listeners) {
  if (inode == 0 || listeners.size() >= kMaxListeners) return;
  listeners.emplace(inode, std::move(port));
}

bool send_question(int socket, std::uint8_t family, std::uint8_t protocol) {
  struct {
    nlmsghdr header;
    inet_diag_req_v2 body;
  } question{};
  question.header.nlmsg_len = sizeof question;
  question.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  question.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  question.body.sdiag_family = family;
  question.body.sdiag_protocol = protocol;
  question.body.idiag_states = protocol == IPPROTO_TCP ? 1U << TCP_LISTEN : ~0U;
  return ::send(socket, &question, sizeof question, 0) == sizeof question;
}

// The kernel answers during the request: what is not available at once never comes.
bool take_answers(int socket, std::uint8_t family, std::uint8_t protocol,
                  ListeningSockets& listeners) {
  alignas(nlmsghdr) std::array<char, kReplyBytes> reply;
  while (true) {
    const ssize_t count = ::recv(socket, reply.data(), reply.size(), MSG_DONTWAIT);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    auto left = static_cast<unsigned>(count);
    const auto* header = reinterpret_cast<const nlmsghdr*>(reply.data());
    for (; NLMSG_OK(header, left); header = NLMSG_NEXT(header, left)) {
      if (header->nlmsg_type == NLMSG_DONE) return true;
      if (header->nlmsg_type == NLMSG_ERROR) return false;
      inet_diag_msg message{};
      std::memcpy(&message, NLMSG_DATA(header), sizeof message);
      AddressWords words{};
      std::memcpy(words.data(), message.id.idiag_src, sizeof words);
      if (protocol == IPPROTO_TCP && message.idiag_state != TCP_LISTEN) continue;
      add(message.idiag_inode, port_of(words, family == AF_INET6, ntohs(message.id.idiag_sport)),
          listeners);
    }
  }
}

// Removes the first word of a line.
std::string_view next_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  const std::string_view word = line.substr(0, line.find(' '));
  line.remove_prefix(word.size());
  return word;
}

template <typename Number>
bool parse(std::string_view text, int base, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  return error == std::errc{} && end == text.data() + text.size();
}

// Parses "0100007F:1F90": the words of the address, each in this machine's byte order, and the
// port.
bool parse_address(std::string_view text, ListeningPort& port) {
  constexpr int kHex = 16;
  constexpr std::size_t kWordDigits = 8;
  AddressWords words{};
  const std::size_t colon = text.find(':');
  const bool v6 = colon == kWordDigits * words.size();
  if (!v6 && colon != kWordDigits) return false;
  for (std::size_t i = 0; i * kWordDigits < colon; ++i) {
    if (!parse(text.substr(i * kWordDigits, kWordDigits), kHex, words[i])) return false;
  }
  std::uint16_t number = 0;
  if (!parse(text.substr(colon + 1), kHex, number)) return false;
  port = port_of(words, v6, number);
  return true;
}

// Returns false when the line is not about a listener: the kernel lists those first.
bool add_line(std::string_view line, ListeningSockets& listeners) {
  constexpr std::string_view kListen = "0A";
  constexpr int kWordsBetween = 5;  // queues, timer, retransmits, user, timeout
  constexpr int kDecimal = 10;
  ListeningPort port;
  ino_t inode = 0;
  next_word(line);  // the number of the line
  const std::string_view local = next_word(line);
  next_word(line);  // remote
  if (next_word(line) != kListen || !parse_address(local, port)) return false;
  for (int i = 0; i < kWordsBetween; ++i) next_word(line);
  if (!parse(next_word(line), kDecimal, inode)) return false;
  add(inode, std::move(port), listeners);
  return listeners.size() < kMaxListeners;
}

void read_table(pid_t pid, const char* name, ListeningSockets& listeners) {
  std::array<char, kListenersPathBytes> path;
  std::snprintf(path.data(), path.size(), "/proc/%d/net/%s", pid, name);
  const UniqueFd file(::open(path.data(), O_RDONLY | O_CLOEXEC));
  if (!file) return;
  std::array<char, kTableReadBytes> text;
  std::size_t kept = 0;
  bool heading = true;
  while (true) {
    const ssize_t got = ::read(file.get(), text.data() + kept, text.size() - kept);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;
    std::string_view rest(text.data(), kept + static_cast<std::size_t>(got));
    for (std::size_t end = 0; (end = rest.find('\n')) != std::string_view::npos;) {
      if (!heading && !add_line(rest.substr(0, end), listeners)) return;
      heading = false;
      rest.remove_prefix(end + 1);
    }
    kept = rest.size();
    std::memmove(text.data(), rest.data(), kept);
  }
}

}  // namespace

bool append_own_listeners(ListeningSockets& listeners, std::uint8_t protocol) {
  const UniqueFd socket(::socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  if (!socket) return false;
  for (const std::uint8_t family : {std::uint8_t{AF_INET}, std::uint8_t{AF_INET6}}) {
    if (!send_question(socket.get(), family, protocol) ||
        !take_answers(socket.get(), family, protocol, listeners)) {
      return false;
    }
  }
  return true;
}

void append_listeners_of(pid_t pid, ListeningSockets& listeners) {
  read_table(pid, "tcp", listeners);
  read_table(pid, "tcp6", listeners);
}

}  // namespace gibbous
