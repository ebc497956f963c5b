// Conversions to and from the system's socket addresses.
#include "runtime/wait/address.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>

#include "runtime/base/unique_fd.h"

namespace gibbous {
namespace {

constexpr std::size_t kV4Bytes = 4;
constexpr std::array<std::uint8_t, 12> kMappedPrefix = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

Address from_v6_bytes(const in6_addr& raw, std::uint32_t scope) {
  Address address;
  const std::uint8_t* bytes = raw.s6_addr;
  if (std::equal(kMappedPrefix.begin(), kMappedPrefix.end(), bytes)) {
    std::copy_n(bytes + kMappedPrefix.size(), kV4Bytes, address.bytes.begin());
    return address;
  }
  address.v6 = true;
  address.scope = scope;
  std::copy_n(bytes, address.bytes.size(), address.bytes.begin());
  return address;
}

}  // namespace

Address Address::loopback_v4() {
  Address address;
  address.bytes = {127, 0, 0, 1};
  return address;
}

Address Address::loopback_v6() {
  Address address;
  address.v6 = true;
  address.bytes.back() = 1;
  return address;
}

std::optional<Address> Address::parse(const std::string& text) {
  Address v4;
  if (::inet_pton(AF_INET, text.c_str(), v4.bytes.data()) == 1) return v4;
  const std::size_t percent = text.find('%');
  in6_addr raw{};
  if (::inet_pton(AF_INET6, text.substr(0, percent).c_str(), &raw) != 1) return std::nullopt;
  std::uint32_t scope = 0;
  if (percent != std::string::npos) {
    scope = ::if_nametoindex(text.c_str() + percent + 1);
    if (scope == 0) return std::nullopt;
  }
  return from_v6_bytes(raw, scope);
}

std::optional<Address> Address::from(const sockaddr* address) {
  if (address->sa_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, address, sizeof v4);
    Address result;
    std::memcpy(result.bytes.data(), &v4.sin_addr, kV4Bytes);
    return result;
  }
  if (address->sa_family == AF_INET6) {
    sockaddr_in6 v6{};
    std::memcpy(&v6, address, sizeof v6);
    return from_v6_bytes(v6.sin6_addr, v6.sin6_scope_id);
  }
  return std::nullopt;
}

std::string Address::text() const {
  char buffer[INET6_ADDRSTRLEN] = "";
  ::inet_ntop(v6 ? AF_INET6 : AF_INET, bytes.data(), buffer, sizeof buffer);
  return buffer;
}

bool Address::is_unspecified() const {
  return std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte == 0; });
}

bool Address::is_loopback() const {
  constexpr std::uint8_t kLoopbackNet = 127;
  return v6 ? *this == loopback_v6() : bytes.front() == kLoopbackNet;
}

bool Address::is_local() const {
  if (is_loopback() || is_unspecified()) return true;
  // UDP with port 0 binds a free port and disturbs no other program.
  const UniqueFd socket(::socket(v6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket) return false;
  sockaddr_storage storage{};
  fill(storage, 0);
  return ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&storage), sizeof storage) == 0;
}

void Address::fill(sockaddr_storage& storage, int port) const {
  std::memset(&storage, 0, sizeof storage);
  const auto network_port = htons(static_cast<std::uint16_t>(port));
  if (v6) {
    sockaddr_in6 result{};
    result.sin6_family = AF_INET6;
    result.sin6_port = network_port;
    result.sin6_scope_id = scope;
    std::memcpy(&result.sin6_addr, bytes.data(), bytes.size());
    std::memcpy(&storage, &result, sizeof result);
  } else {
    sockaddr_in result{};
    result.sin_family = AF_INET;
    result.sin_port = network_port;
    std::memcpy(&result.sin_addr, bytes.data(), kV4Bytes);
    std::memcpy(&storage, &result, sizeof result);
  }
}

}  // namespace gibbous
