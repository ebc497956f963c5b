// See tcp_address.h.
#include "bindings/mcp/http/tcp_address.h"

#include <arpa/inet.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <system_error>

namespace gibbous::mcp::http {
namespace {

constexpr int kBacklog = 1024;
constexpr unsigned kLoopbackNet = 127;
constexpr unsigned kNetShift = 24;

}  // namespace

std::optional<TcpAddress> TcpAddress::parse(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return std::nullopt;
  const std::string digits = text.substr(colon + 1);
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;

  TcpAddress address;
  const std::string host = text.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    sockaddr_in6 six{};
    six.sin6_family = AF_INET6;
    six.sin6_port = htons(port);
    if (::inet_pton(AF_INET6, host.substr(1, host.size() - 2).c_str(), &six.sin6_addr) != 1) {
      return std::nullopt;
    }
    std::memcpy(&address.place_, &six, sizeof six);
    address.size_ = sizeof six;
    return address;
  }
  sockaddr_in four{};
  four.sin_family = AF_INET;
  four.sin_port = htons(port);
  if (::inet_pton(AF_INET, host.c_str(), &four.sin_addr) != 1) return std::nullopt;
  std::memcpy(&address.place_, &four, sizeof four);
  address.size_ = sizeof four;
  return address;
}

bool TcpAddress::is_loopback() const {
  if (place_.ss_family == AF_INET) {
    sockaddr_in four{};
    std::memcpy(&four, &place_, sizeof four);
    return ntohl(four.sin_addr.s_addr) >> kNetShift == kLoopbackNet;
  }
  sockaddr_in6 six{};
  std::memcpy(&six, &place_, sizeof six);
  return IN6_IS_ADDR_LOOPBACK(&six.sin6_addr) != 0;
}

Result<UniqueFd> TcpAddress::listen() const {
  UniqueFd socket(::socket(place_.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int on = 1;
  if (!socket || ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
      ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&place_), size_) != 0 ||
      ::listen(socket.get(), kBacklog) != 0) {
    const std::string why = std::generic_category().message(errno);
    return Status::error("listen_failed", "cannot listen at " + text_of(place_) + ": " + why);
  }
  return socket;
}

std::string TcpAddress::of(const UniqueFd& socket) {
  sockaddr_storage place{};
  socklen_t size = sizeof place;
  ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&place), &size);
  return text_of(place);
}

std::string TcpAddress::text_of(const sockaddr_storage& place) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (place.ss_family == AF_INET6) {
    sockaddr_in6 six{};
    std::memcpy(&six, &place, sizeof six);
    ::inet_ntop(AF_INET6, &six.sin6_addr, text.data(), text.size());
    return "[" + std::string(text.data()) + "]:" + std::to_string(ntohs(six.sin6_port));
  }
  sockaddr_in four{};
  std::memcpy(&four, &place, sizeof four);
  ::inet_ntop(AF_INET, &four.sin_addr, text.data(), text.size());
  return std::string(text.data()) + ":" + std::to_string(ntohs(four.sin_port));
}

}  // namespace gibbous::mcp::http
